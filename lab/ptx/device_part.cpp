#include <cctype>
#include <string_view>

#include "lab/ptx/compile.hpp"

namespace onefold::lab::ptx {
namespace {

bool has_word(std::string_view s, std::string_view word) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (auto at = s.find(word); at != s.npos; at = s.find(word, at + 1)) {
    const bool before = at == 0 || !in_word(s[at - 1]);
    const std::size_t end = at + word.size();
    if (before && (end == s.size() || !in_word(s[end]))) return true;
  }
  return false;
}

bool for_device(std::string_view head) {
  for (const char* word : {"__device__", "__global__", "__constant__", "__shared__", "constexpr",
                           "typedef", "using", "__managed__"}) {
    if (has_word(head, word)) return true;
  }
  return false;
}

class Scanner {
 public:
  explicit Scanner(const std::string& s) : s_(s), out_(s) {}

  std::string run() {
    while (at_ < s_.size()) declaration();
    return out_;
  }

 private:
  void blank(std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to && k < out_.size(); ++k) {
      if (out_[k] != '\n') out_[k] = ' ';
    }
  }
  // Skips a comment, a string or a character literal at `k`; returns whether there was one.
  bool skip(std::size_t& k) const {
    const std::string_view s(s_);
    if (s.substr(k, 2) == "//") {
      k = std::min(s.find('\n', k), s.size());
      return true;
    }
    if (s.substr(k, 2) == "/*") {
      const auto end = s.find("*/", k + 2);
      k = end == s.npos ? s.size() : end + 2;
      return true;
    }
    if (s[k] == '"' ||
        (s[k] == '\'' && (k == 0 || std::isalnum(static_cast<unsigned char>(s[k - 1])) == 0))) {
      const char quote = s[k++];
      while (k < s.size() && s[k] != quote && s[k] != '\n') k += s[k] == '\\' ? 2 : 1;
      k = std::min(k + 1, s.size());
      return true;
    }
    return false;
  }
  void directive(std::size_t& k) {
    const std::size_t from = k;
    while (k < s_.size() && s_[k] != '\n') k += s_[k] == '\\' && k + 1 < s_.size() ? 2 : 1;
    k = std::min(k, s_.size());
    const std::string_view line = std::string_view(s_).substr(from, k - from);
    const auto word = line.find("include");
    if (word == line.npos || line.find_first_not_of("# \t") != word) return;
    // Removes headers of the host's library and of CUDA's host API; the user's headers stay.
    if (line.find('<') != line.npos || line.find("cuda_runtime") != line.npos ||
        line.find("helper_") != line.npos || line.find("device_launch_parameters") != line.npos) {
      for (const char* kept : {"cooperative_groups", "cuda_fp16", "cuda_bf16", "cuda/", "cub/"}) {
        if (line.find(kept) != line.npos) return;
      }
      blank(from, k);
    }
  }
  void braces(std::size_t& k) const {  // from { to after its }
    int depth = 0;
    while (k < s_.size()) {
      if (skip(k)) continue;
      const char c = s_[k++];
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (depth == 0) return;
    }
  }
  // One declaration or definition at the level of a namespace.
  void declaration() {
    std::size_t k = at_;
    while (k < s_.size()) {
      if (std::isspace(static_cast<unsigned char>(s_[k])) != 0) {
        ++k;
      } else if (s_[k] == '#') {
        directive(k);
      } else if (s_.compare(k, 2, "//") == 0 || s_.compare(k, 2, "/*") == 0) {
        skip(k);
      } else {
        break;
      }
    }
    const std::size_t from = k;
    if (k < s_.size() && s_[k] == '}') {  // of a namespace
      at_ = k + 1;
      return;
    }
    while (k < s_.size() && s_[k] != ';' && s_[k] != '{' && s_[k] != '#') {
      if (!skip(k)) ++k;
    }
    if (k >= s_.size()) {
      at_ = s_.size();
      return;
    }
    const std::string_view head = std::string_view(s_).substr(from, k - from);
    if (s_[k] == '#') {  // a directive within a declaration
      directive(k);
      at_ = std::max(k, at_ + 1);
      return;
    }
    const bool call = head.find('(') != head.npos;
    if (s_[k] == ';') {
      at_ = k + 1;
      if ((call || has_word(head, "std")) && !for_device(head)) blank(from, at_);
      return;
    }
    const bool type = has_word(head, "struct") || has_word(head, "class") ||
                      has_word(head, "union") || has_word(head, "enum");
    if (has_word(head, "namespace") || (has_word(head, "extern") && !call)) {
      at_ = k + 1;  // what is inside counts by itself
      return;
    }
    braces(k);
    at_ = k;
    if (call && !for_device(head) && !(type && head.find('(') > head.find_first_of("{"))) {
      blank(from, k);
    }
  }

  const std::string& s_;
  std::string out_;
  std::size_t at_ = 0;
};

}  // namespace

std::string device_part(const std::string& source) { return Scanner(source).run(); }

}  // namespace onefold::lab::ptx
