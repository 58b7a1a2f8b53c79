#include "onefold/system/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <filesystem>
#include <utility>

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

namespace {

// A search for the object that has an address loaded.
struct ObjectSearch {
  std::uintptr_t address;
  bool first = true;  // the first object is the program itself
  const char* file = "";
};

// Called for each loaded object; returns 1 where the search ends. musl has no dladdr1, and
// dladdr names the program as its caller did.
int find_object(dl_phdr_info* object, std::size_t, void* data) {
  ObjectSearch& search = *static_cast<ObjectSearch*>(data);
  const bool program = std::exchange(search.first, false);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD &&
        search.address - object->dlpi_addr - segment.p_vaddr < segment.p_memsz) {
      search.file = program ? "/proc/self/exe" : object->dlpi_name;
      return 1;
    }
  }
  return 0;
}

}  // namespace

std::string file_of_address(void* address) {
  ObjectSearch search{reinterpret_cast<std::uintptr_t>(address)};
  if (address == nullptr || dl_iterate_phdr(find_object, &search) == 0) return "";
  std::error_code failed;
  const auto file = std::filesystem::canonical(search.file, failed);
  return failed ? "" : file.string();
}

}  // namespace onefold::system
