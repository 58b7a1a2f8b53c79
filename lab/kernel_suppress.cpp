#include "lab/kernel_suppress.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "lab/kernel_run.hpp"
#include "lab/refuse.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace {

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

[[noreturn]] void refuse(const std::string& file, unsigned line, const std::string& what) {
  throw Error(ErrorCode::bad_option, fmt::format("lab run: {}:{}: {}", file, line, what));
}

std::string known_kind(const std::string& kind, const std::string& file, unsigned line) {
  constexpr int last = static_cast<int>(sim::FlawKind::bad_call);
  std::string legal;
  for (int k = 0; k <= last; ++k) {
    const std::string name = name_of(static_cast<sim::FlawKind>(k));
    if (name == kind) return kind;
    legal += (k == 0 ? "" : ", ") + name;
  }
  refuse(file, line, fmt::format("\"{}\" is not a kind of flaw; choose one of {}", kind, legal));
}

}  // namespace

bool Suppression::covers(const sim::Flaw& f) const {
  const auto here = [&](const sim::Site& s) {
    return s.line == line && s.file != nullptr && base_name(s.file) == file;
  };
  return kind == name_of(f.kind) && (here(f.at) || here(f.other));
}

std::vector<Suppression> suppressions_of_source(const std::string& path, const std::string& text) {
  constexpr std::string_view mark = "// onefold allow ";
  std::vector<Suppression> all;
  const std::string file = base_name(path);
  std::istringstream in(text);
  unsigned number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto at = line.find(mark);
    if (at == line.npos) continue;
    const std::string rest = line.substr(at + mark.size());
    const auto colon = rest.find(':');
    const std::string reason = colon == rest.npos ? "" : trimmed(rest.substr(colon + 1));
    if (reason.empty())
      refuse(file, number, "the reason is missing; write it as in: // onefold allow race: REASON");
    const bool alone = trimmed(line.substr(0, at)).empty();
    all.push_back({.kind = known_kind(trimmed(rest.substr(0, colon)), file, number),
                   .file = file,
                   .line = number + (alone ? 1 : 0),
                   .reason = reason,
                   .in_source = true});
  }
  return all;
}

std::vector<Suppression> suppressions_of_file(const std::string& path) {
  std::vector<Suppression> all;
  std::istringstream in(text_of_file(path));
  unsigned number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (trimmed(line).empty() || trimmed(line)[0] == '#') continue;
    std::istringstream words(line);
    std::string kind, place, reason;
    words >> kind >> place;
    std::getline(words, reason);
    const auto colon = place.rfind(':');
    unsigned at = 0;
    const char* end = place.data() + place.size();
    if (colon != place.npos) std::from_chars(place.data() + colon + 1, end, at);
    if (at == 0 || trimmed(reason).empty()) {
      refuse(path, number,
             fmt::format("\"{}\" is malformed; write it as in: race sum.cu:12 REASON", line));
    }
    all.push_back({.kind = known_kind(kind, path, number),
                   .file = base_name(place.substr(0, colon)),
                   .line = at,
                   .reason = trimmed(reason)});
  }
  return all;
}

}  // namespace onefold::lab
