# Builds static programs for musl's libc by zig, which pip installs: cmake/musl-test.sh prepares it.
# ONEFOLD_MUSL: a folder with the compiler, and with links to the headers of this system's packages.
# ONEFOLD_PROCESSOR: x86_64 or aarch64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${ONEFOLD_PROCESSOR})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ONEFOLD_MUSL ONEFOLD_PROCESSOR)
set(CMAKE_CXX_COMPILER ${ONEFOLD_MUSL}/c++)
set(CMAKE_AR ${ONEFOLD_MUSL}/ar)
set(CMAKE_RANLIB ${ONEFOLD_MUSL}/ranlib)
set(CMAKE_PREFIX_PATH ${ONEFOLD_MUSL}/packages)
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)  # zig writes tables for debuggers unasked: four fifths of a program
if(NOT ONEFOLD_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${ONEFOLD_PROCESSOR}-static)
endif()
