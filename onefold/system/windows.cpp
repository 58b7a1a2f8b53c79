// What folds of arrays need of the system, for Windows: no large pages, no libraries, no files.
#include <windows.h>

#include "onefold/system/file.hpp"
#include "onefold/system/library.hpp"
#include "onefold/system/memory.hpp"
#include "onefold/system/new_file.hpp"
#include "onefold/system/process.hpp"

namespace onefold::system {

uint64_t physical_memory() {
  MEMORYSTATUSEX s{.dwLength = sizeof s};
  return ::GlobalMemoryStatusEx(&s) ? s.ullTotalPhys : 0;
}
uint64_t available_memory() {
  MEMORYSTATUSEX s{.dwLength = sizeof s};
  return ::GlobalMemoryStatusEx(&s) ? s.ullAvailPhys : 0;
}
void prefer_large_pages(void*, std::size_t) {}

int usable_processors() { return 0; }
bool at_fork(void (*)(), void (*)(), void (*)()) { return true; }  // nothing forks there

void* open_library(const std::string&, std::string& why) {
  why = "libraries cannot be loaded on Windows";
  return nullptr;
}
void* library_in_process(const char*) { return nullptr; }
void* find_in_library(void*, const char*) { return nullptr; }
std::string file_of_address(void*) { return {}; }

// What keeps compiled kernels finds no folder.
bool exists(const std::string&) { return false; }
FileFacts facts_of(const std::string&) { return {}; }
FileFacts facts_of(int) { return {}; }
int open_to_read(const std::string&, Opening) { return -1; }
void close_file(int) {}
std::ptrdiff_t read_some(int, void*, std::size_t) { return -1; }
void make_folder(const std::string&, bool) {}
bool replace_file(const std::string&, std::span<const std::string_view>, bool) { return false; }

}  // namespace onefold::system
