#include "onefold/system/jit/loaded.hpp"

#include <filesystem>

#include "onefold/system/environment.hpp"
#include "onefold/system/library.hpp"

namespace onefold::jit {

void* LibraryHandle::find(const char* function) const {
  return handle == nullptr ? nullptr : system::find_in_library(handle, function);
}

std::string LibraryHandle::file_of(const char* function) const {
  return system::file_of_address(find(function));
}

LibraryHandle load(std::span<const std::string> names) {
  LibraryHandle result;
  for (const std::string& name : names) {
    result.tried.push_back(name);
    result.handle = system::open_library(name, result.why);
    if (result.handle == nullptr) continue;
    result.name = name;
    return result;
  }
  return result;
}

LibraryHandle load_plugin(const char* environment, const std::string& file) {
  if (const char* named = system::environment(environment))
    return load(std::vector<std::string>{named});
  return load(std::vector<std::string>{plugin_file(file)});
}

std::string plugin_file(const std::string& file) {
  const std::string here = folder_of_this_code();
  const std::string installed = here + "/../" ONEFOLD_PLUGINS "/" + file;
  std::error_code failed;
  const bool there = std::filesystem::exists(installed, failed);
  return there ? installed : here + "/" + file;
}

std::string folder_of_this_code() {
  const std::filesystem::path file =
      system::file_of_address(reinterpret_cast<void*>(&folder_of_this_code));
  return file.parent_path().string();
}

}  // namespace onefold::jit
