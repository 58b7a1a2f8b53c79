# Builds programs for Windows by MinGW-w64: cmake/windows-test.sh prepares it.
# ONEFOLD_HEADERS: a folder with packages of the headers that are needed.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ONEFOLD_HEADERS)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_PREFIX_PATH ${ONEFOLD_HEADERS}/packages)
# g++ of MinGW-w64 defines what makes a thread_local member in each object that uses it.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -s -Wl,--allow-multiple-definition")
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
