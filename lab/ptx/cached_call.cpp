#include "lab/ptx/cached_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>

#include "lab/ptx/compile.hpp"
#include "onefold/system/file.hpp"

namespace onefold::lab::ptx {
namespace {

namespace fs = std::filesystem;

// Returns the path that the compiler's messages and relative includes start from.
std::string here() {
  std::error_code ignored;
  return fs::current_path(ignored).string();
}

// A text that is in no file has a slot of its own: many of them have one name.
std::string slot_of(const Source& s, const std::string& how) {
  std::error_code ignored;
  const std::string& place = fs::exists(s.file, ignored) ? s.file : s.text;
  const std::string what =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", here(), place, how, s.arch, s.as_written, s.kernel);
  return fmt::format("slot {}", std::hash<std::string>{}(what) % 256);
}

class Includes {
 public:
  Includes(const std::vector<std::string>& folders, std::vector<std::string>& files)
      : folders_(folders), files_(files) {}

  bool all_known = true;

  void scan(const std::string& text, const std::string& folder, bool own) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto hash = line.find_first_not_of(" \t");
      if (hash == line.npos || line[hash] != '#') continue;
      for (auto at = line.find("include", hash); at != line.npos; at = line.find("include", at)) {
        const auto before = line.find_last_not_of(" \t", at - 1);
        at += 7;
        if (line[before] != '#' && !line.substr(0, at).ends_with("__has_include")) continue;
        if (line.compare(at, 5, "_next") == 0) at += 5;
        const auto open = line.find_first_not_of(" \t(", at);
        const char end = open == line.npos ? 0 : line[open] == '<' ? '>' : line[open];
        const auto close = end == 0 ? line.npos : line.find(end, open + 1);
        if ((end == '>' || end == '"') && close != line.npos) {
          look_for(line.substr(open + 1, close - open - 1), end == '"' ? folder : "", own);
        } else if (own) {  // the toolkit's own files follow its version
          all_known = false;
        }
      }
    }
  }

 private:
  void look_for(const std::string& name, const std::string& folder, bool own) {
    if (name.starts_with('/')) {
      read(name, own);
      return;
    }
    if (!folder.empty() && read(folder + "/" + name, own)) return;
    for (std::size_t k = 0; k < folders_.size(); ++k) {
      if (read(folders_[k] + "/" + name, k == 0)) return;
    }
  }
  // Returns whether there is such a file.
  bool read(const std::string& path, bool own) {
    const bool there = system::facts_of(path).kind == system::FileFacts::Kind::regular;
    if (!seen_.insert(path).second) return there;
    files_.push_back(path);
    if (!there) return false;
    std::ifstream in(path, std::ios::binary);
    scan({std::istreambuf_iterator<char>(in), {}}, fs::path(path).parent_path().string(), own);
    return true;
  }

  const std::vector<std::string>& folders_;
  std::vector<std::string>& files_;
  std::set<std::string> seen_;
};

}  // namespace

CachedCall::CachedCall(const Source& s, const std::string& how, const std::string& told)
    : CachedCall(slot_of(s, how),
                 fmt::format("{}\n{}\n{}\n{}\n{}", how, here(), s.file, s.kernel, told)) {}

CachedCall::CachedCall(std::string slot, std::string key)
    : slot_(std::move(slot)), key_(std::move(key)) {
  if (const auto image = cache_.find(key_, slot_)) found_.emplace(image->begin(), image->end());
}

void CachedCall::keep(const std::string& made, const std::vector<std::string>& files) const {
  // Time stamps may be as coarse as the system's tick.
  using std::chrono::seconds, std::chrono::nanoseconds, std::chrono::milliseconds;
  const auto latest = began_.time_since_epoch() - milliseconds(20);
  const bool old = std::all_of(files.begin(), files.end(), [&](const std::string& path) {
    const system::FileFacts f = system::facts_of(path);
    return seconds(f.seconds) + nanoseconds(f.nanoseconds) < latest;
  });
  if (old) cache_.keep(key_, {made.begin(), made.end()}, files, slot_);
}

bool add_includes(const std::string& text, const std::vector<std::string>& folders,
                  std::vector<std::string>& files) {
  Includes all(folders, files);
  all.scan(text, folders.front(), true);
  return all.all_known;
}

}  // namespace onefold::lab::ptx
