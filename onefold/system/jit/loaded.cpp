#include "onefold/system/jit/loaded.hpp"

#include <algorithm>
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

namespace {

// Adds the folders in which pip installs a library: lib/python3.*/site-packages/nvidia of the
// active virtual environment.
void add_those_of_pip(std::vector<std::string>& names, const std::string& stem,
                      const std::string& folder) {
  namespace fs = std::filesystem;
  const char* home = system::environment("VIRTUAL_ENV");
  if (home == nullptr || *home == '\0') return;
  std::vector<std::string> found;
  std::error_code none;
  for (const fs::directory_entry& python : fs::directory_iterator(fs::path(home) / "lib", none)) {
    const fs::path packages = python.path() / "site-packages" / "nvidia";
    for (const std::string& name :
         {"cu13/lib/" + stem + ".so.13", folder + "/lib/" + stem + ".so.12"}) {
      if (fs::exists(packages / name, none)) found.push_back((packages / name).string());
    }
  }
  std::sort(found.begin(), found.end());
  names.insert(names.end(), found.begin(), found.end());
}

}  // namespace

std::vector<std::string> toolkit_names(const char* environment, const std::string& stem,
                                       const std::string& folder) {
  const char* const chosen = system::environment(environment);
  if (chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> names{stem + ".so.13", stem + ".so.12"};
  const char* home = system::environment("CUDA_HOME");
  for (const std::string& toolkit :
       {std::string(home == nullptr ? "" : home), std::string("/usr/local/cuda")}) {
    if (!toolkit.empty()) names.push_back(toolkit + "/lib64/" + stem + ".so");
  }
  add_those_of_pip(names, stem, folder);
  return names;
}

LibraryHandle load_plugin(const char* environment, const std::string& file) {
  if (const char* named = system::environment(environment))
    return load(std::vector<std::string>{named});
  return load(std::vector<std::string>{plugin_file(file)});
}

std::string plugin_file(const std::string& file) {
  const std::string here = folder_of_this_code();
  const auto folder = (std::filesystem::path(here) / ".." / ONEFOLD_PLUGINS).lexically_normal();
  const std::string installed = (folder / file).string(), beside = here + "/" + file;
  std::error_code failed;
  if (std::filesystem::exists(installed, failed)) return installed;
  // Where it is in neither folder, a message names the one into which `make install` puts it.
  const bool is_built_here = std::filesystem::exists(beside, failed);
  return is_built_here || !std::filesystem::exists(folder, failed) ? beside : installed;
}

std::string folder_of_this_code() {
  const std::filesystem::path file =
      system::file_of_address(reinterpret_cast<void*>(&folder_of_this_code));
  return file.parent_path().string();
}

}  // namespace onefold::jit
