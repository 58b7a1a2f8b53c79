# find_package(onefold) gives onefold::onefold.
include(CMakePackageConfigHelpers)

install(TARGETS onefold EXPORT onefold-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Kernels that `make kernels` compiled, if it did.
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/onefold/kernels
  DESTINATION ${CMAKE_INSTALL_DATADIR}/onefold OPTIONAL
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
  DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                        WORLD_EXECUTE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY include/onefold ${PROJECT_BINARY_DIR}/include/onefold
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT onefold-targets NAMESPACE onefold::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/onefold)
configure_package_config_file(cmake/onefold-config.cmake.in
  ${PROJECT_BINARY_DIR}/onefold-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/onefold)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/onefold-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/onefold-config.cmake
  ${PROJECT_BINARY_DIR}/onefold-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/onefold)

# What all this needs.
add_custom_target(onefold_installed)
foreach(target IN ITEMS onefold onefold_program onefold_mpi onefold_arrow onefold_cub)
  if(TARGET ${target})
    add_dependencies(onefold_installed ${target})
  endif()
endforeach()
