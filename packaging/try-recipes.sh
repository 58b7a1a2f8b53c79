#!/usr/bin/env bash
# Builds packages by the recipes whose tools Debian or PyPI have (packages rpm, makepkg, pacman-package-manager, libarchive-tools, fakeroot, cpio; conan, py-rattler-build), of
# build/dist's sdist, with this machine's compiler and libraries in place of the system's that a recipe is for. It lists what
# is in each package, and runs the program, or links the library, from a clean folder. Usage: try-recipes.sh [rpm|aur|conan|conda]...
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/.*ONEFOLD_VERSION "\(.*\)"/\1/p' onefold/version.hpp)
sdist=$PWD/build/dist/onefold-$version.tar.gz
hash=$(sha256sum "$sdist")
hash=${hash%% *}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if command -v ccache >/dev/null; then
  CCACHE_DIR=$(ccache --get-config cache_dir)
  # rpmbuild has a language of its own, which ccache compares.
  export CCACHE_DIR CCACHE_BASEDIR=$folder CMAKE_CXX_COMPILER_LAUNCHER="env;LANG=${LANG-};ccache"
fi

# Copies a recipe, with the sdist's hash in the place of zeros.
recipe() {
  mkdir -p "$folder/$(dirname "$1")"
  sed "s/sha256=\"0\" \* 64/sha256=\"$hash\"/; s/0\{64\}/$hash/" "packaging/$1" >"$folder/$1"
}

# Runs the program of an unpacked package.
program() {
  [ "$(echo 1e308 1e308 -1e308 | "$1/usr/bin/onefold" sum)" = 1e+308 ]
  [ "$(seq 1000 | gzip | "$1/usr/bin/onefold" mean)" = 500.5 ]
}

# Links a C++ program with an unpacked library, and runs it.
library() {
  printf '#include <onefold/onefold.hpp>\n#include <vector>\n%s\n' \
    'int main() { return onefold::sum(std::vector<double>{1e16, 1, -1e16}) != 1; }' >"$folder/a.cpp"
  c++ -std=c++20 -I "$1/include" "$folder/a.cpp" "$2/libonefold.a" -lhwy -ltbb -ldl -o "$folder/a"
  "$folder/a"
}

# With what Fedora's macros of CMake say, in short; Debian's rpm has none.
rpm() {
  recipe rpm/onefold.spec
  rpmbuild -bb --nodeps --define "_topdir $folder/rpm" --define "_sourcedir $(dirname "$sdist")" \
    --define "_docdir /usr/share/doc" --define 'debug_package %{nil}' \
    --define 'cmake cmake -S . -B build/rpm -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=%{_lib} -DBUILD_SHARED_LIBS=ON' \
    --define 'cmake_build cmake --build build/rpm' --define 'cmake_install DESTDIR=%{buildroot} cmake --install build/rpm' \
    --define 'ctest ctest --test-dir build/rpm --output-on-failure' "$folder/rpm/onefold.spec"
  for path in "$folder"/rpm/RPMS/*/*.rpm; do
    stat -c '%n %s' "$path"
    command rpm -qlp "$path" | grep -v '/usr/include/'
    (mkdir -p "$folder/rpm/root" && cd "$folder/rpm/root" && rpm2cpio "$path" | cpio -id --quiet)
  done
  program "$folder/rpm/root"
  library "$folder/rpm/root/usr" "$folder/rpm/root/usr/lib64"
}

# In a namespace with a user's id, since makepkg does not run as root.
aur() {
  recipe aur/PKGBUILD
  cp "$sdist" "$folder/aur"
  printf '%s\n' '. /etc/makepkg.conf' "BUILDENV=(!distcc !color !ccache check !sign)" "CFLAGS= CXXFLAGS= CPPFLAGS= LDFLAGS=" >"$folder/aur.conf"
  (cd "$folder/aur" && unshare --user --map-user=1000 --map-group=1000 makepkg --nodeps --config "$folder/aur.conf")
  path=$(echo "$folder"/aur/*.pkg.tar.*)
  stat -c '%n %s' "$path"
  mkdir "$folder/aur/root"
  tar xf "$path" -C "$folder/aur/root"
  (cd "$folder/aur/root" && find . -type f | grep -v /usr/include/)
  program "$folder/aur/root"
  library "$folder/aur/root/usr" "$folder/aur/root/usr/lib"
}

# What the recipe requires is "of the platform"; the sdist lies where Conan keeps what it has downloaded.
conan() {
  recipe conan/conanfile.py
  export CONAN_HOME=$folder/conan/home CCACHE_IGNOREOPTIONS=-m64  # which says nothing on x86-64
  command conan profile detect
  mkdir -p "$folder/conan/sources/s"
  cp "$sdist" "$folder/conan/sources/s/$hash"
  echo "{\"references\": {}, \"timestamp\": 0}" >"$folder/conan/sources/s/$hash.json"
  { printf '%s\n' '[platform_requires]' highway/1.0.3 onetbb/2021.8.0 fast_float/3.9.0 nlohmann_json/3.11.2 '[platform_tool_requires]'
    echo "cmake/$(cmake --version | sed -n 's/cmake version //p')"; } >>"$CONAN_HOME/profiles/default"
  command conan create "$folder/conan" -s compiler.cppstd=20 -cc core.sources:download_cache="$folder/conan/sources" \
    -c tools.cmake.cmaketoolchain:generator=Ninja -c tools.build:jobs="${JOBS:-$(nproc)}" --no-remote
  path=$(command conan cache path "onefold/$version:$(command conan list 'onefold/*:*' --format=compact 2>/dev/null | sed -n 's/.*:\([0-9a-f]*\)$/\1/p')")
  (cd "$path" && find . -type f | grep -v ./include/)
  library "$path" "$path/lib"
  mkdir "$folder/conan/user"  # as a project takes it; what Conan would bring is named by hand
  cat >"$folder/conan/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user CXX)
find_package(onefold REQUIRED)
add_executable(user ../../a.cpp)
target_link_libraries(user onefold::onefold -Wl,--no-as-needed hwy tbb)
END
  (cd "$folder/conan/user" && command conan install --requires="onefold/$version" -g CMakeDeps -g CMakeToolchain -s compiler.cppstd=20 --no-remote &&
    cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE=conan_toolchain.cmake && cmake --build build && build/user)
}

# The program and the libraries alone, without what the recipe requires: conda-forge's packages. PYTHON has py-rattler-build.
conda() {
  recipe conda/recipe.yaml
  sed -i -e "s|path: ../..|path: $sdist|" -e '/PYTHON.*pip install/d' -e '/^requirements:/,/^tests:/{/^tests:/!d}' -e '/- python: {imports/d' \
    "$folder/conda/recipe.yaml"
  "${PYTHON-python3}" - "$folder/conda" <<'END'
import sys
from rattler_build import EnvironmentIsolation, Stage0Recipe, ToolConfiguration, VariantConfig

(variant,) = Stage0Recipe.from_file(f"{sys.argv[1]}/recipe.yaml").render(VariantConfig())
variant.run_build(ToolConfiguration(test_strategy="native"), output_dir=f"{sys.argv[1]}/out", channels=[],
                  env_isolation=EnvironmentIsolation.NONE)
END
  path=$(echo "$folder"/conda/out/linux-64/*.conda)
  stat -c '%n %s' "$path"
  mkdir -p "$folder/conda/root/usr"
  (cd "$folder/conda" && bsdtar -xf "$path" && for part in pkg-*.tar.zst info-*.tar.zst; do tar xf "$part" -C root/usr; done)
  (cd "$folder/conda/root/usr" && find . -type f | grep -v ./include/)
  program "$folder/conda/root"
  library "$folder/conda/root/usr" "$folder/conda/root/usr/lib"
}

for tool in "${@-rpm}"; do
  "$tool"
  echo "built and tried: $tool"
done
