# Builds for 64-bit Arm by Debian's cross compiler; what is built runs here under qemu-user.
#   apt install g++-aarch64-linux-gnu qemu-user-static libtbb-dev:arm64 libhwy-dev:arm64
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# Not with -L /usr/aarch64-linux-gnu: the loader there and libc6:arm64, which it finds first, are of two builds, and no
# second thread would start.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
