#include "lab/ptx/user_files.hpp"

#include <filesystem>
#include <regex>

#include "onefold/system/environment.hpp"

namespace onefold::lab::ptx {

namespace fs = std::filesystem;

std::vector<std::string> toolkit_folders() {
  const char* home = system::environment("CUDA_HOME");
  for (const std::string& root :
       {std::string(home == nullptr ? "" : home), std::string("/usr/local/cuda")}) {
    std::error_code ignored;
    if (root.empty() || !fs::exists(root + "/include/cuda.h", ignored)) continue;
    std::vector<std::string> all{root + "/include"};
    if (fs::exists(root + "/include/cccl", ignored)) all.push_back(root + "/include/cccl");
    return all;
  }
  return {};
}

namespace {

// Whether a path has the folders of a toolkit and its libraries, of a system or of a compiler on any
// machine.
bool in_foreign_folder(const std::string& path) {
  if (path.starts_with("/usr/")) return true;
  for (const char* part :
       {"/targets/x86_64-linux/", "/targets/sbsa-linux/", "-packages/nvidia/", "/include/c++/",
        "/lib/gcc/", "/lib/clang/", "NVIDIA GPU Computing Toolkit", "/include/cub/",
        "/include/thrust/", "/include/cccl/", "/cub/cub/", "/thrust/thrust/", "/libcudacxx/"}) {
    if (path.find(part) != path.npos) return true;
  }
  return false;
}

// Whether a name without its folder is that of a header of CUDA.
bool named_as_cuda(const std::string& name) {
  for (const char* begin : {"cuda_fp", "cuda_bf16", "cuda_pipeline", "cuda_awbarrier", "sm_",
                            "cooperative_groups", "device_", "nvrtc", "mma.h"}) {
    if (name.starts_with(begin) && (name.ends_with(".h") || name.ends_with(".hpp"))) return true;
  }
  return false;
}

}  // namespace

bool of_user(const std::string& path, const std::string& source) {
  const fs::path at = fs::path(path).lexically_normal(),
                 own = fs::path(source).lexically_normal().parent_path();
  const std::string name = at.filename().string();
  if (name.find('.') == name.npos) return false;
  if (!source.empty() && name == fs::path(source).filename()) return true;
  // What counts of a path below the source's folder is the rest.
  const bool below = !own.empty() && at.string().starts_with(own.string() + "/");
  const std::string rest = below ? at.string().substr(own.string().size()) : at.string();
  static const std::regex temporary("(^|/)onefold-[A-Za-z0-9]{6}(/|\\.h$)");
  if (std::regex_search(rest, temporary) || in_foreign_folder(rest)) return false;
  for (const std::string& folder : toolkit_folders()) {
    if (at.string().starts_with(fs::path(folder).lexically_normal().string() + "/")) return false;
  }
  std::error_code ignored;
  const bool beside = at.parent_path() == own && fs::exists(at, ignored);
  return beside || !named_as_cuda(name);
}

}  // namespace onefold::lab::ptx
