#include "jit/loaded.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace onefold::jit {

void* Loaded::find(const char* function) const {
  return handle == nullptr ? nullptr : dlsym(handle, function);
}

std::string Loaded::file_of(const char* function) const {
  Dl_info info{};
  void* const address = find(function);
  if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "";
  std::error_code failed;
  const auto path = std::filesystem::canonical(info.dli_fname, failed);
  return failed ? "" : path.string();
}

Loaded load(std::span<const std::string> names) {
  Loaded result;
  for (const std::string& name : names) {
    result.tried.push_back(name);
    result.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (result.handle != nullptr) {
      result.name = name;
      result.why.clear();
      return result;
    }
    const char* why = dlerror();
    result.why = why == nullptr ? "" : why;
  }
  return result;
}

}  // namespace onefold::jit
