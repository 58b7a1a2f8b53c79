#include "lab/source_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "lab/refuse.hpp"

namespace onefold::lab {
namespace {

// What stands at the outer level of a file.
struct Outline {
  std::set<std::string> internal;  // names that other files do not see
  std::set<std::string> macros;    // those that the file defines whatever came before
  std::size_t includes_end = 0;    // behind the line of the last #include
};

class OutlineReader {
 public:
  explicit OutlineReader(std::string_view text) : s_(text) {}
  Outline read() {
    bool line_begins = true;
    while (at_ < s_.size()) {
      const char c = s_[at_];
      if (c == '#' && line_begins) {
        directive();
      } else if (c == '/' && s_.substr(at_, 2) == "//") {
        at_ = std::min(s_.find('\n', at_), s_.size());
      } else if (c == '/' && s_.substr(at_, 2) == "/*") {
        const auto end = s_.find("*/", at_ + 2);
        at_ = end == s_.npos ? s_.size() : end + 2;
      } else if (c == '"' || c == '\'') {
        quoted(c);
      } else {
        if (c != ' ' && c != '\t') line_begins = c == '\n';
        code(c);
      }
    }
    return std::move(found_);
  }

 private:
  enum class Brace : char { scope, unnamed, body };

  // Reads a line of the preprocessor, which may continue.
  void directive() {
    std::size_t end = at_;
    do {
      end = std::min(s_.find('\n', end + 1), s_.size());
    } while (end < s_.size() && s_[end - 1] == '\\');
    std::string_view line = s_.substr(at_ + 1, end - at_ - 1);
    at_ = end;
    const std::string_view what = word(line), name = word(line);
    if (what == "include") found_.includes_end = std::min(end + 1, s_.size());
    if (what == "ifndef") asked_.emplace(name);
    if (what == "define" && !asked_.contains(name)) found_.macros.emplace(name);
  }
  static std::string_view word(std::string_view& line) {
    std::size_t begin = 0;
    while (begin < line.size() && !in_word(line[begin])) ++begin;
    std::size_t end = begin;
    while (end < line.size() && in_word(line[end])) ++end;
    const std::string_view found = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return found;
  }
  void quoted(char mark) {
    for (++at_; at_ < s_.size() && s_[at_] != mark && s_[at_] != '\n'; ++at_) {
      if (s_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, s_.size());
    head_ += ' ';
  }
  void code(char c) {
    const bool outside = std::ranges::find(open_, Brace::body) == open_.end();
    if (c == '{') {
      const Brace kind = kind_of_brace();
      if (outside && kind == Brace::body) declare();
      open_.push_back(kind);
      head_.clear();
    } else if (c == '}') {
      if (!open_.empty()) open_.pop_back();
      // int a[] = {1, 2}, b; goes on; a function's body or a namespace ends here.
      head_.clear();
    } else if (outside && c == ';') {
      declare();
      head_.clear();
    } else if (outside) {
      head_ += c;
    }
    ++at_;
  }
  Brace kind_of_brace() const {
    std::string_view rest = head_;
    const std::string_view first = word(rest), second = word(rest);
    if (first == "namespace") return second.empty() ? Brace::unnamed : Brace::scope;
    return first == "extern" && second == "" ? Brace::scope : Brace::body;
  }
  // Notes the name of a function or variable that only this file sees.
  void declare() {
    std::string_view head = head_;
    head = head.substr(0, std::min(head.find('='), head.size()));
    // The name comes before the parameters, if they are not those of an attribute, or is the last.
    const bool templated = head.find('<') != head.npos;
    std::string_view name, before, rest = head;
    bool hidden = std::ranges::find(open_, Brace::unnamed) != open_.end(), type = false;
    while (true) {
      const char* const begin = rest.data();
      const std::string_view next = word(rest);
      if (next.empty()) break;
      hidden |= next == "static";
      type |= next == "struct" || next == "class" || next == "union" || next == "enum" ||
              next == "typedef" || next == "using" || next == "template" || next == "extern";
      const std::string_view between(begin, static_cast<std::size_t>(next.data() - begin));
      const bool attribute = before.starts_with("__") && before.ends_with("__");
      if (!name.empty() && between.find_first_of("([") != between.npos && !attribute) break;
      if (hidden && !type && !name.empty() && !templated && between.find(',') != between.npos) {
        found_.internal.emplace(name);  // of several variables
      }
      name = before = next;
    }
    if (hidden && !type && !name.empty() && name != "static") found_.internal.emplace(name);
  }

  std::string_view s_;
  std::size_t at_ = 0;
  Outline found_;
  std::string head_;  // of a declaration, without comments
  std::vector<Brace> open_;
  std::set<std::string, std::less<>> asked_;  // by #ifndef
};

// Returns the part of a name that says of which file it is.
std::string word_of_file(const std::string& path) {
  std::string stem = path.substr(path.rfind('/') + 1);
  stem = stem.substr(0, stem.rfind('.'));
  std::ranges::replace_if(
      stem, [](char c) { return !in_word(c); }, '_');
  return stem;
}

std::string lines(const std::string& word, const std::set<std::string>& names,
                  const std::string& end = "") {
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format("{} {}{}\n", word, name, end.empty() ? "" : " " + name + end);
  }
  return text;
}

}  // namespace

std::string joined(const std::vector<SourceFile>& files) {
  std::string all;
  std::set<std::string> taken;
  for (std::size_t k = 0; k < files.size(); ++k) {
    const SourceFile& file = files[k];
    const Outline outline = OutlineReader(file.text).read();
    std::set<std::string> again;
    for (const std::string& name : outline.internal) {
      if (!taken.insert(name).second) again.insert(name);
    }
    const std::string head = file.text.substr(0, outline.includes_end),
                      body = file.text.substr(outline.includes_end);
    if (k > 0) all += fmt::format("\n#line 1 \"{}\"\n", file.path);
    all += head;
    if (!again.empty()) {
      const auto line = 1 + std::ranges::count(head, '\n');
      all += lines("#define", again, "_of_" + word_of_file(file.path)) +
             fmt::format("#line {} \"{}\"\n", line, file.path);
    }
    all += body;
    if (k + 1 < files.size()) all += "\n" + lines("#undef", outline.macros);
    all += lines("#undef", again);
  }
  return all;
}

}  // namespace onefold::lab
