#include "system/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

namespace onefold::system {

void* open_library(const std::string& name, std::string& why) {
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* const message = library == nullptr ? dlerror() : nullptr;
  why = message == nullptr ? "" : message;
  return library;
}

void* library_in_process(const char* name) {
  void* const library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  return library != nullptr ? library : dlopen(nullptr, RTLD_NOW);
}

void* find_in_library(void* library, const char* name) { return dlsym(library, name); }

std::string file_of_address(void* address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (address == nullptr ||
      dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) {
    return "";
  }
  // For the program itself the name is empty, and then its caller's name for it is used.
  const std::string name = map->l_name;
  std::error_code failed;
  const auto file = std::filesystem::canonical(name.empty() ? "/proc/self/exe" : name, failed);
  return failed ? "" : file.string();
}

}  // namespace onefold::system
