#include "jit/loaded.hpp"

#include <dlfcn.h>

namespace onefold::jit {

void* Loaded::find(const char* function) const {
  return handle == nullptr ? nullptr : dlsym(handle, function);
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
