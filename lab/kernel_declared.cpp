#include "lab/kernel_declared.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <numeric>
#include <regex>

namespace onefold::lab {
namespace {

constexpr int deepest = 8;

// Evaluates an expression of integers, by precedence and from left to right.
class Expression {
 public:
  Expression(const std::string& source, std::string text, int depth)
      : source_(source), text_(std::move(text)), depth_(depth) {}

  std::optional<long long> value() {
    const auto v = sum();
    space();
    return at_ == text_.size() ? v : std::nullopt;
  }

 private:
  void space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::optional<long long> sum() {
    auto v = product();
    while (v) {
      const bool plus = take('+');
      if (!plus && !take('-')) break;
      const auto w = product();
      v = w ? std::optional(plus ? *v + *w : *v - *w) : std::nullopt;
    }
    return v;
  }
  std::optional<long long> product() {
    auto v = number();
    while (v) {
      const bool times = take('*');
      if (!times && !take('/')) break;
      const auto w = number();
      v = w && (times || *w != 0) ? std::optional(times ? *v * *w : *v / *w) : std::nullopt;
    }
    return v;
  }
  std::optional<long long> number() {
    if (take('(')) {
      const auto v = sum();
      return take(')') ? v : std::nullopt;
    }
    space();
    const auto word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    const std::size_t from = at_;
    while (at_ < text_.size() && word(text_[at_])) ++at_;
    const std::string token = text_.substr(from, at_ - from);
    if (token.empty()) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(token[0])) == 0) return named(token);
    long long v = 0;
    const char* end = token.data() + token.size();
    const auto r = std::from_chars(token.data(), end, v);
    const std::string_view rest(r.ptr, static_cast<std::size_t>(end - r.ptr));
    if (r.ec != std::errc{} || rest.find_first_not_of("uUlL") != rest.npos || v > 1 << 24) {
      return std::nullopt;
    }
    return v;
  }
  // Returns the value of a macro or a constant.
  std::optional<long long> named(const std::string& name) const {
    if (depth_ == deepest) return std::nullopt;
    const std::regex macro("#define[ \\t]+" + name + "[ \\t]+([^\\n]*?)[ \\t]*(//[^\\n]*)?(\\n|$)");
    const std::regex constant("\\bconst(expr)?\\s[\\w \\t]*\\b" + name + "\\s*=\\s*([^;]*);");
    std::smatch m;
    if (std::regex_search(source_, m, macro)) {
      return Expression(source_, m[1], depth_ + 1).value();
    }
    if (std::regex_search(source_, m, constant)) {
      return Expression(source_, m[2], depth_ + 1).value();
    }
    return std::nullopt;
  }

  const std::string& source_;
  std::string text_;
  std::size_t at_ = 0;
  int depth_;
};

std::size_t bytes_of_type(const std::string& text) {
  static const std::regex type(
      "\\b(double|float|long|short|char|bool|int|unsigned|half|__half|u?int(8|16|32|64)_t|size_t)"
      "\\b");
  std::smatch m;
  if (!std::regex_search(text, m, type)) return 0;
  const std::string t = m[1];
  if (t == "unsigned") {
    const std::size_t rest = bytes_of_type(m.suffix());
    return rest != 0 ? rest : 4;
  }
  if (m[2].matched) return static_cast<std::size_t>(std::stoul(m[2])) / 8;
  if (t == "double" || t == "long" || t == "size_t") return 8;
  if (t == "short" || t == "half" || t == "__half") return 2;
  return t == "char" || t == "bool" ? 1 : 4;
}

}  // namespace

std::optional<Declared> declared_in(const std::string& source, const std::string& name) {
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return std::nullopt;
  }
  const std::regex declaration("__(shared|device|constant)__([^;(){}]*?)\\b" + name +
                               "\\s*((\\[[^\\]]*\\]\\s*)+)");
  std::smatch m;
  if (!std::regex_search(source, m, declaration)) return std::nullopt;
  Declared d{.element = bytes_of_type(m[2]), .inner = {}};
  const std::string brackets = m[3];
  for (auto at = brackets.find('[', 1); at != brackets.npos; at = brackets.find('[', at + 1)) {
    const auto v =
        Expression(source, brackets.substr(at + 1, brackets.find(']', at) - at - 1), 0).value();
    if (!v || *v <= 0) return Declared{.element = d.element, .inner = {}};
    d.inner.push_back(static_cast<std::size_t>(*v));
  }
  return d;
}

std::string index_text(const Declared& d, long long index) {
  std::string text;
  long long row = std::accumulate(d.inner.begin(), d.inner.end(), 1LL, [](long long a, auto b) {
    return a * static_cast<long long>(b);
  });
  if (index < 0) return fmt::format("[{}]", index);
  for (std::size_t k = 0; k <= d.inner.size(); ++k) {
    text += fmt::format("[{}]", index / row);
    index %= row;
    if (k < d.inner.size()) row /= static_cast<long long>(d.inner[k]);
  }
  return text;
}

}  // namespace onefold::lab
