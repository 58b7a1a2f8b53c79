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

// Whether a path has the folders of a toolkit, of its libraries, of a system or of a compiler.
bool in_foreign_folder(const std::string& path) {
  for (const char* part :
       {"/targets/x86_64-linux/", "/targets/sbsa-linux/", "-packages/nvidia/", "/include/c++/",
        "/lib/gcc/", "/lib/clang/", "NVIDIA GPU Computing Toolkit", "/include/cub/",
        "/include/thrust/", "/include/cccl/", "/cub/cub/", "/thrust/thrust/", "/libcudacxx/"}) {
    if (path.find(part) != path.npos) return true;
  }
  return false;
}

// Whether a path without its folders on this machine is that of a header of CUDA.
bool named_as_cuda(const std::string& path) {
  static const std::regex names(
      "(^|/)(cooperative_groups(/.*)?|cuda_(fp16|fp8|fp6|fp4|bf16|(pipeline|awbarrier)[a-z_]*)|"
      "device_(atomic_|double_)?functions|mma|sm_[0-9]+_[a-z]*_?(functions|intrinsics|types))"
      "[.]hp*$|^(nvrtc|crt/|cub/|thrust/)");
  return std::regex_search(path, names);
}

// Whether a file lies in a toolkit's folder of headers, wherever that is.
bool in_toolkit(const fs::path& file) {
  std::error_code ignored;
  for (fs::path at = file.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    if (fs::exists(at / "cuda_runtime_api.h", ignored)) return true;
  }
  return false;
}

// Whether it is one of the temporary files that we give to compilers.
bool temporary(const std::string& path) {
  static const std::regex name("/onefold-[A-Za-z0-9]{6}(/.*|[.]h)");
  const char* folder = system::environment("TMPDIR");
  for (const std::string& in : {std::string("/tmp"), std::string(folder ? folder : "/tmp")}) {
    if (path.starts_with(in) && std::regex_match(path.substr(in.size()), name)) return true;
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
  const std::string folder = own.string() + "/";
  const bool below = !own.empty() && at.string().starts_with(folder);
  const std::string rest = below ? at.string().substr(own.string().size()) : at.string();
  if (in_foreign_folder(rest) || (!below && rest.starts_with("/usr/"))) return false;
  // A source may itself lie in a temporary folder.
  if (temporary(at.string()) && !(below && temporary(folder + "x"))) return false;
  std::error_code ignored;
  const bool there = fs::exists(at, ignored);
  return there ? !in_toolkit(at) : !named_as_cuda(rest);
}

}  // namespace onefold::lab::ptx
