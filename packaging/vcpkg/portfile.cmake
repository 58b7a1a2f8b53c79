# The libraries and their headers; the program is in packages of systems.
vcpkg_download_distfile(archive
  URLS "https://onefold.invalid/releases/v${VERSION}/onefold-${VERSION}.tar.gz"
  FILENAME "onefold-${VERSION}.tar.gz"
  SHA512 0)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DONEFOLD_TESTS=OFF -DONEFOLD_CLI=OFF -DONEFOLD_INSTALL=ON -DONEFOLD_MPI=OFF -DONEFOLD_ARROW=OFF -DONEFOLD_CUB=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/onefold)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/NOTICES")
