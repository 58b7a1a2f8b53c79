# shellcheck shell=bash disable=SC2154  # who sources it has `tools`
# Sourced by scripts that build for another system: packages for CMake, in $tools/packages, of libraries of which only headers are
# used, those of this system's packages.
mkdir -p "$tools/include" "$tools/packages"
# Not /usr/include itself: it has another libc's headers too.
for header in hwy fast_float fmt CLI nlohmann boost; do ln -sfn "/usr/include/$header" "$tools/include/$header"; done
package() {  # its name, its target, and what else its users need
  cat >"$tools/packages/$1Config.cmake" <<END
if(NOT TARGET $2)
  add_library($2 INTERFACE IMPORTED)
  set_target_properties($2 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "$tools/include" ${3-})
endif()
END
}
package hwy hwy::hwy
package FastFloat FastFloat::fast_float
package nlohmann_json nlohmann_json::nlohmann_json
