# The files of `cmake --install`: the program, its plugins, and the library for
# find_package(onefold), whose target is onefold::onefold. Within another project nothing is
# installed, unless that asks for it.
set(installed onefold onefold_c)
foreach(target IN ITEMS onefold_program onefold_lab_program onefold_mpi onefold_arrow onefold_arrow_installed onefold_cub)
  if(TARGET ${target})
    list(APPEND installed ${target})
  endif()
endforeach()
add_custom_target(onefold_installed DEPENDS ${installed})
# The files that `make install` needs.
set(files)
foreach(target IN LISTS installed)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL UTILITY)  # onefold_cub, made by nvcc
    string(APPEND files "${PROJECT_BINARY_DIR}/${target}.so\n")
  else()
    string(APPEND files "$<TARGET_FILE:${target}>\n")
  endif()
endforeach()
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/installed.txt CONTENT "${files}")
if(NOT ONEFOLD_INSTALL)
  return()
endif()

include(CMakePackageConfigHelpers)
set(plugins ${CMAKE_INSTALL_LIBDIR}/onefold)  # where onefold/system/jit/loaded.cpp looks
foreach(target IN LISTS installed)
  if(target STREQUAL onefold)
    install(TARGETS onefold EXPORT onefold-targets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  elseif(target STREQUAL onefold_c)
    install(TARGETS onefold_c EXPORT onefold-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  elseif(target STREQUAL onefold_lab_program)  # which `onefold lab` becomes
    install(TARGETS ${target} RUNTIME DESTINATION ${plugins})
  elseif(target STREQUAL onefold_cub)  # made by nvcc
    install(PROGRAMS ${PROJECT_BINARY_DIR}/onefold_cub.so DESTINATION ${plugins} OPTIONAL)
  elseif(NOT target STREQUAL onefold_arrow)  # of the build tree
    install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
                              LIBRARY DESTINATION ${plugins} OPTIONAL)
  endif()
endforeach()
# Manual pages and bash's completion, as the program itself prints them; another machine's program needs an emulator.
if(TARGET onefold_program AND (CMAKE_CROSSCOMPILING_EMULATOR OR NOT CMAKE_CROSSCOMPILING))
  file(GLOB verbs RELATIVE ${PROJECT_SOURCE_DIR}/cli/verb CONFIGURE_DEPENDS cli/verb/*.cpp)
  list(TRANSFORM verbs REPLACE "\\.cpp$" "")
  install(CODE "
    set(program \"$<TARGET_FILE:onefold_program>\")
    set(emulator ${CMAKE_CROSSCOMPILING_EMULATOR})
    function(says file)
      set(path \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATAROOTDIR}/\${file}\")
      get_filename_component(folder \"\$ENV{DESTDIR}\${path}\" DIRECTORY)
      file(MAKE_DIRECTORY \"\${folder}\")
      execute_process(COMMAND \${emulator} \"\${program}\" \${ARGN} OUTPUT_FILE \"\$ENV{DESTDIR}\${path}\" COMMAND_ERROR_IS_FATAL ANY)
      set(CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_MANIFEST_FILES};\${path}\" PARENT_SCOPE)
    endfunction()
    if(EXISTS \"\${program}\")  # it may not have been built
      says(man/man1/onefold.1 man)
      foreach(verb IN ITEMS ${verbs})
        says(man/man1/onefold-\${verb}.1 man \${verb})
      endforeach()
      says(bash-completion/completions/onefold completion bash)
    endif()")
endif()
# pyarrow's, which the plugin for Arrow looks for there: pyarrow's own folder may go.
install(FILES ${arrow_libraries} DESTINATION ${plugins})
# Kernels that `make kernels` compiled, if it did.
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/onefold/kernels
  DESTINATION ${CMAKE_INSTALL_DATADIR}/onefold OPTIONAL
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
  DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                        WORLD_EXECUTE)
# Not CMAKE_INSTALL_DOCDIR: within another project that is the other's, with its LICENSE.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/onefold)
install(FILES NOTICES DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/onefold)
install(FILES ${PROJECT_BINARY_DIR}/onefold.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# What users include, and what that includes. Kernels and the machine that they run on are interfaces of
# one version only.
file(GLOB public CONFIGURE_DEPENDS onefold/*.hpp onefold/*.h)
install(FILES ${public} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/onefold)
install(DIRECTORY onefold/core onefold/machine DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/onefold)
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/onefold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY onefold/cuda/kernel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/onefold/cuda)
install(EXPORT onefold-targets NAMESPACE onefold::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/onefold)
# Headers, for which find_package(onefold COMPONENTS exact) needs no other package.
install(TARGETS onefold_exact EXPORT onefold-exact-targets)
file(GLOB single_headers CONFIGURE_DEPENDS single/*.hpp single/*.cuh)
install(FILES ${single_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT exact)
install(EXPORT onefold-exact-targets NAMESPACE onefold:: COMPONENT exact
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/onefold)
configure_package_config_file(cmake/onefold-config.cmake.in
  ${PROJECT_BINARY_DIR}/onefold-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/onefold)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/onefold-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/onefold-config.cmake
  ${PROJECT_BINARY_DIR}/onefold-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/onefold COMPONENT exact)
# Last: CMake lists what it has installed in the build tree, and would fail in a tree of another user.
install(CODE "
  set(list \"${PROJECT_BINARY_DIR}/install_manifest.txt\")
  execute_process(COMMAND sh -c \"test -w '\${list}' || test -w '${PROJECT_BINARY_DIR}' -a ! -e '\${list}'\"
    RESULT_VARIABLE failed)
  if(failed)
    return()
  endif()")
