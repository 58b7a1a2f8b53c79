#include "jit/loaded.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
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

Loaded load_plugin(const char* environment, const std::string& file) {
  if (const char* named = std::getenv(environment)) return load(std::vector<std::string>{named});
  const std::string here = folder_of_this_code();
  const std::string installed = here + "/../" ONEFOLD_PLUGINS "/" + file;
  std::error_code failed;
  const bool there = std::filesystem::exists(installed, failed);
  return load(std::vector<std::string>{there ? installed : here + "/" + file});
}

std::string folder_of_this_code() {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&folder_of_this_code), &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0) {
    return "";
  }
  // The program has no name there, and of itself says what its caller called it.
  const std::string name = map->l_name;
  std::error_code failed;
  const auto file = std::filesystem::canonical(name.empty() ? "/proc/self/exe" : name, failed);
  return failed ? "" : file.parent_path().string();
}

}  // namespace onefold::jit
