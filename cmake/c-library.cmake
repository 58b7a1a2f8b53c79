# libonefold.so.1, the library for C: onefold/onefold.h, and nothing else is visible. It takes of libonefold.a what the C
# functions need. A static program links libonefold.a: pkg-config --static.
add_library(onefold_c SHARED $<FILTER:$<TARGET_OBJECTS:onefold>,INCLUDE,/onefold/capi/|/unity_capi_>)
add_library(onefold::c ALIAS onefold_c)
set(map ${PROJECT_SOURCE_DIR}/onefold/capi/onefold.map)
set_target_properties(onefold_c PROPERTIES OUTPUT_NAME onefold EXPORT_NAME c LINKER_LANGUAGE CXX
  VERSION 1.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} SOVERSION 1 LINK_DEPENDS ${map} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
  # As a part of another project it is built where somebody links it or installs Onefold.
  EXCLUDE_FROM_ALL $<NOT:$<BOOL:${ONEFOLD_INSTALL}>>)
target_link_libraries(onefold_c PRIVATE $<BUILD_INTERFACE:onefold>)
target_link_options(onefold_c PRIVATE LINKER:--version-script=${map} LINKER:-z,defs
  LINKER:-z,nodelete)  # helpers of the last loop may still wait in it (onefold/system/parallel.hpp)
target_include_directories(onefold_c INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# From the folder of the .pc file to the prefix, so that an installed tree may be moved.
file(RELATIVE_PATH PC_TO_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" PC_TO_PREFIX "${PC_TO_PREFIX}")
set(PC_PRIVATE "-lhwy -lstdc++ -lm -lpthread -ldl")
if(NOT ONEFOLD_STD_THREADS)
  string(PREPEND PC_PRIVATE "-ltbb ")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/onefold.pc.in ${PROJECT_BINARY_DIR}/onefold.pc @ONLY)
