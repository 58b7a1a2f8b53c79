#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "lab/ptx/compile.hpp"
#include "lab/ptx/mangled.hpp"
#include "lab/refuse.hpp"

namespace onefold::lab::ptx {
namespace {

bool has_word(std::string_view s, std::string_view word) {
  for (auto at = s.find(word); at != s.npos; at = s.find(word, at + 1)) {
    const bool before = at == 0 || !in_word(s[at - 1]);
    const std::size_t end = at + word.size();
    if (before && (end == s.size() || !in_word(s[end]))) return true;
  }
  return false;
}

// Returns the head of a declaration without attributes such as __align__(16).
std::string without_attributes(std::string_view head) {
  std::string s(head);
  for (const char* attribute : {"__align__", "alignas", "__attribute__", "__launch_bounds__"}) {
    for (auto at = s.find(attribute); at != s.npos; at = s.find(attribute, at)) {
      std::size_t end = s.find('(', at);
      int depth = 0;
      while (end < s.size()) {
        depth += s[end] == '(' ? 1 : s[end] == ')' ? -1 : 0;
        ++end;
        if (depth == 0) break;
      }
      s.erase(at, std::min(end, s.size()) - at);
    }
  }
  return s;
}

// Returns the name of the type that `head` defines: the word after the last struct, class or union.
std::string_view type_in(std::string_view head) {
  std::size_t begin = head.npos;
  for (const char* word : {"struct", "class", "union"}) {
    const auto at = head.rfind(word);
    if (at != head.npos && (begin == head.npos || at > begin)) begin = at;
  }
  while (begin < head.size() && in_word(head[begin])) ++begin;
  while (begin < head.size() && !in_word(head[begin])) ++begin;
  std::size_t end = begin;
  while (end < head.size() && in_word(head[end])) ++end;
  return begin < end ? head.substr(begin, end - begin) : std::string_view{};
}

bool for_device(std::string_view head) {
  for (const char* word : {"__device__", "__global__", "__constant__", "__shared__", "constexpr",
                           "typedef", "using", "__managed__"}) {
    if (has_word(head, word)) return true;
  }
  return false;
}

// Whether the host needs only the declaration of a function with this head.
bool for_device_only(std::string_view head) {
  const auto end = head.rfind(')');
  if (end == head.npos || head.find('=', end) != head.npos) return false;  // a variable
  for (const char* word : {"__host__", "constexpr", "consteval", "auto", "decltype"}) {
    if (has_word(head, word)) return false;
  }
  return has_word(head, "__device__") || has_word(head, "__global__");
}

// Skips a comment, string or character literal at `k`; returns whether there was one.
bool skip_text(std::string_view s, std::size_t& k) {
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

class Scanner {
 public:
  // for_host: keeps the host's part, otherwise the device's.
  Scanner(const std::string& s, bool for_host) : s_(s), out_(s), for_host_(for_host) {}

  std::string run() {
    while (at_ < s_.size()) declaration();
    while (std::erase_if(types_, [&](const Type& t) { return is_hosts(t); }) != 0) {
    }
    std::erase(out_, '\0');
    return out_;
  }

 private:
  struct Type {
    std::string name;
    std::size_t from, to;
  };
  // A type belongs to the host, and is removed, if it has host functions or initialisers and no
  // remaining code names it; for example an owner of memory in main().
  bool is_hosts(const Type& t) {
    const std::string_view s(out_);
    if (has_word(s.substr(0, t.from), t.name) || has_word(s.substr(t.to), t.name)) return false;
    const auto body = s.substr(t.from, t.to - t.from);
    const bool plain =
        body.find('(') == body.npos && !has_word(body, "std") && body.find('{') == body.rfind('{');
    if (plain || has_word(body, "__device__")) return false;
    blank(t.from, t.to);
    return true;
  }
  void blank(std::size_t from, std::size_t to, char by = ' ') {
    for (std::size_t k = from; k < to && k < out_.size(); ++k) {
      if (out_[k] != '\n') out_[k] = by;
    }
  }
  bool skip(std::size_t& k) const { return skip_text(s_, k); }
  void directive(std::size_t& k) {
    const std::size_t from = k;
    while (k < s_.size() && s_[k] != '\n') k += s_[k] == '\\' && k + 1 < s_.size() ? 2 : 1;
    k = std::min(k, s_.size());
    const std::string_view line = std::string_view(s_).substr(from, k - from);
    const auto word = line.find("include");
    if (word == line.npos || line.find_first_not_of("# \t") != word) return;
    // Removes headers of host libraries and of CUDA's host API; the user's own headers stay.
    if (line.find('<') != line.npos || line.find("cuda_runtime") != line.npos ||
        line.find("helper_") != line.npos || line.find("device_launch_parameters") != line.npos) {
      for (const char* kept :
           {"cooperative_groups", "cuda_fp16", "cuda_bf16", "cuda/", "cub/", "helper_math"}) {
        if (line.find(kept) != line.npos) return;
      }
      if (!for_host_) blank(from, k);
    }
  }
  // Moves from { to after its }. Returns whether that is sure: each branch of #if has as many { as
  // }, and nothing is defined.
  bool braces(std::size_t& k) const {
    int depth = 0;
    bool sure = true;
    std::vector<int> branches;  // the depths where they begin
    while (k < s_.size()) {
      if (skip(k)) continue;
      const char c = s_[k++];
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (depth == 0) return sure && branches.empty();
      if (c != '#') continue;
      const std::string_view rest =
          std::string_view(s_).substr(std::min(s_.find_first_not_of(" \t", k), s_.size()));
      if (rest.starts_with("if")) branches.push_back(depth);
      const bool ends = rest.starts_with("endif"), other = rest.starts_with("el");
      if (ends || other) sure = sure && !branches.empty() && branches.back() == depth;
      if (ends && !branches.empty()) branches.pop_back();
      if (rest.starts_with("define") || rest.starts_with("undef")) sure = false;
      if (rest.starts_with("include")) sure = false;
    }
    return false;
  }
  // Scans one declaration or definition at namespace level.
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
    if (k < s_.size() && s_[k] == '}') {  // the end of a namespace
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
    const std::string head = without_attributes(std::string_view(s_).substr(from, k - from));
    if (s_[k] == '#') {  // a directive inside a declaration
      directive(k);
      at_ = std::max(k, at_ + 1);
      return;
    }
    const bool call = head.find('(') != head.npos;
    if (s_[k] == ';') {
      at_ = k + 1;
      const bool hosts = (call || has_word(head, "std")) && !for_device(head);
      if (hosts && !for_host_) blank(from, at_);
      return;
    }
    const bool type = has_word(head, "struct") || has_word(head, "class") ||
                      has_word(head, "union") || has_word(head, "enum");
    if (has_word(head, "namespace") || (has_word(head, "extern") && !call) ||
        (for_host_ && type && !call)) {
      at_ = k + 1;  // its contents are scanned by themselves
      return;
    }
    const std::size_t open = k;
    const bool sure = braces(k);
    at_ = k;
    if (for_host_) {
      if (sure && for_device_only(head)) blank(open + 1, k - 1, '\0');
      return;
    }
    if (call && !for_device(head)) blank(from, k);
    if (type && !call) types_.push_back({std::string(type_in(head)), from, k});
  }

  const std::string& s_;
  std::string out_;
  const bool for_host_;
  std::size_t at_ = 0;
  std::vector<Type> types_;
};

// Whether a mangled name is of a static, or in a namespace without a name.
bool is_internal(const std::string& mangled) {
  if (mangled.starts_with("_ZZ")) return false;  // inside a function
  if (mangled.find("_GLOBAL__N_") != mangled.npos || mangled.starts_with("_ZL")) return true;
  if (!mangled.starts_with("_ZN")) return false;
  for (std::size_t k = 4; k < mangled.size(); ++k) {  // _ZN5spaceL4nameE: L before a length
    if (mangled[k - 1] == 'L' && std::isdigit(static_cast<unsigned char>(mangled[k])) != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string without_comments(const std::string& source) {
  std::string out;
  for (std::size_t k = 0; k < source.size();) {
    const std::size_t from = k;
    const bool comment = skip_text(source, k) && source[from] == '/';
    k = std::max(k, from + 1);
    out += comment ? " " : source.substr(from, k - from);
  }
  return out;
}

bool has_main(const std::string& text) {
  constexpr const char* space = " \t\r\n";
  for (auto at = text.find("main"); at != text.npos; at = text.find("main", at + 4)) {
    const auto open = text.find_first_not_of(space, at + 4);
    const auto type = at == 0 ? text.npos : text.find_last_not_of(space, at - 1);
    if (open == text.npos || text[open] != '(' || type == text.npos || type + 1 == at) continue;
    const std::string_view before(text.data(), type + 1);
    for (const std::string_view name : {"int", "int32_t", "auto", "void"}) {
      if (!before.ends_with(name)) continue;
      if (before.size() == name.size() || !in_word(before[before.size() - name.size() - 1]))
        return true;
    }
  }
  return false;
}

namespace {

// Returns where the last of three equal characters ends, which blanks and ends of lines may part;
// npos: it is not so.
std::size_t end_of_three(std::string_view s, std::size_t at, char c) {
  for (int k = 0; k < 3; ++k) {
    if (k != 0) at = std::min(s.find_first_not_of(" \t\r\n", at), s.size());
    if (at == s.size() || s[at] != c) return s.npos;
    ++at;
  }
  return at;
}

// Returns the next character that is in no comment; 0: there is none.
char after_blanks(std::string_view s, std::size_t at) {
  while (at < s.size()) {
    if (s[at] == '/' && skip_text(s, at)) continue;
    if (std::string_view(" \t\r\n\\").find(s[at]) == std::string_view::npos) return s[at];
    ++at;
  }
  return 0;
}

// Puts three characters at the begin of a place, and blanks for the rest of it; its lines stay.
void join(std::string& s, std::size_t from, std::size_t to, char c) {
  const auto begin = s.begin() + std::ptrdiff_t(from), end = s.begin() + std::ptrdiff_t(to);
  const auto lines = std::count(begin, end, '\n');
  std::fill(begin, end, ' ');
  std::fill_n(begin, 3, c);
  std::fill(end - lines, end, '\n');
}

}  // namespace

std::string with_joined_launches(const std::string& source) {
  std::string out = source;
  for (std::size_t k = 0; k < out.size();) {
    if (skip_text(out, k)) continue;
    const std::size_t from = k++;
    const std::size_t inner = end_of_three(out, from, '<');
    // `operator<< <T>` is no launch.
    const auto word = from == 0 ? out.npos : out.find_last_not_of(" \t", from - 1);
    const std::string_view before(out.data(), word == out.npos ? 0 : word + 1);
    if (inner == out.npos || before.ends_with("operator")) continue;
    int depth = 0;
    for (std::size_t at = inner; at < out.size() && out[at] != ';' && depth >= 0;) {
      if (skip_text(out, at)) continue;
      const char c = out[at];
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      const std::size_t end = depth == 0 ? end_of_three(out, at, '>') : out.npos;
      if (end != out.npos && after_blanks(out, end) == '(') {
        join(out, from, inner, '<');
        join(out, at, end, '>');
        k = end;
        break;
      }
      ++at;
    }
  }
  return out;
}

std::string device_part(const std::string& source) { return Scanner(source, false).run(); }

std::string without_device_code(const std::string& source) {
  // The scanner does not know raw strings.
  return source.find("R\"") == source.npos ? Scanner(source, true).run() : source;
}

std::string uses_of(const std::vector<std::string>& names) {
  constexpr std::string_view nameless = "(anonymous namespace)::";
  std::string templates, kernels, variables;
  for (const std::string& mangled : names) {
    std::string s = demangled(mangled);
    for (std::size_t at = 0; (at = s.find(nameless)) != s.npos;) s.erase(at, nameless.size());
    const auto list = s.find('(');
    if (!s.ends_with(')')) {  // a variable has no list of parameters
      if (is_internal(mangled)) variables += fmt::format("  *p = (void*)&{};\n", s);
    } else if (s.find('<') < list) {
      templates += "template __global__ " + s + ";\n";
    } else if (s.find('(', list + 1) == s.npos && is_internal(mangled)) {
      kernels += fmt::format("  *p = (void*)static_cast<void (*){}>({});\n", s.substr(list),
                             s.substr(0, list));
    }
  }
  if (kernels.empty() && variables.empty()) return templates;
  // Without a use of its address, a compiler takes a static variable that kernels only read for 0.
  return templates + fmt::format(
                         "__global__ void onefold_uses(void* volatile* p) {{\n{}"
                         "#ifdef __CUDACC_RTC__\n{}#endif\n}}\n",
                         variables, kernels);
}

}  // namespace onefold::lab::ptx
