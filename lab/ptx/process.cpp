#include "lab/ptx/process.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "lab/ptx/user_files.hpp"
#include "onefold/system/environment.hpp"

namespace onefold::lab::ptx {

namespace fs = std::filesystem;

std::string first_error(const std::string& log) {
  auto at = log.find("error");
  if (at == log.npos) at = 0;
  const auto from = at == 0 ? 0 : log.rfind('\n', at) + 1;
  std::string line = log.substr(from, log.find('\n', at) - from);
  if (line.size() > 400) line.resize(400);
  return line.empty() ? "it failed without a message" : line;
}

std::vector<std::string> include_folders(const std::string& file) {
  std::vector<std::string> all;
  const std::string own = fs::path(file).parent_path().string();
  all.push_back(own.empty() ? "." : own);
  const char* more = system::environment("CPATH");  // as compilers of C take it
  std::istringstream folders{std::string(more == nullptr ? "" : more)};
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty()) all.push_back(folder);
  }
  for (const std::string& folder : toolkit_folders()) all.push_back(folder);
  return all;
}

bool has_helper_math(const std::string& file) {
  const std::vector<std::string> all = include_folders(file);
  std::error_code ignored;
  return std::any_of(all.begin(), all.end(), [&](const std::string& folder) {
    return fs::exists(fs::path(folder) / "helper_math.h", ignored);
  });
}

}  // namespace onefold::lab::ptx
