#include "lab/whole_value.hpp"

#include <charconv>

#include "lab/refuse.hpp"

namespace onefold::lab {
namespace {

using Whole = std::optional<Wide>;

class Expression {
 public:
  Expression(std::string_view text, const Named& named) : text_(text), named_(named) {}

  Whole value() {
    const Whole v = sum();
    space();
    return text_.empty() ? v : std::nullopt;
  }

 private:
  void space() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_[0])) != 0) {
      text_.remove_prefix(1);
    }
  }
  bool take(char c) {
    space();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  static Whole joined(char op, const Whole& a, const Whole& b) {
    Wide v = 0;
    if (!a || !b || (op == '/' && *b == 0)) return std::nullopt;
    const bool over = op == '+'   ? __builtin_add_overflow(*a, *b, &v)
                      : op == '-' ? __builtin_sub_overflow(*a, *b, &v)
                      : op == '*' ? __builtin_mul_overflow(*a, *b, &v)
                                  : (v = *a / *b, false);
    return over ? std::nullopt : Whole(v);
  }
  Whole chain(std::string_view operators, const auto& part) {
    Whole v = part();
    for (std::size_t k = 0; v && k < operators.size(); ++k) {
      if (!take(operators[k])) continue;
      v = joined(operators[k], v, part());
      k = operators.npos;
    }
    return v;
  }
  Whole sum() {
    return chain("+-", [&] { return product(); });
  }
  Whole product() {
    return chain("*/", [&] { return power(); });
  }
  Whole power() {
    const Whole base = factor();
    if (!base || named_ || !take('^')) return base;
    const Whole exponent = factor();
    if (!exponent || *exponent > 128) return std::nullopt;
    Whole v = 1;
    for (Wide k = 0; k < *exponent && v; ++k) v = joined('*', v, base);
    return v;
  }
  Whole factor() {
    if (take('(')) {
      const Whole v = sum();
      return take(')') ? v : std::nullopt;
    }
    space();
    std::size_t n = 0;
    while (n < text_.size() && in_word(text_[n])) ++n;
    const std::string_view token = text_.substr(0, n);
    text_.remove_prefix(n);
    uint64_t v = 0;
    const auto r = std::from_chars(token.data(), token.data() + n, v);
    if (r.ec == std::errc{}) {
      const std::string_view rest = token.substr(static_cast<std::size_t>(r.ptr - token.data()));
      const bool suffix = named_ && rest.find_first_not_of("uUlL") == rest.npos;
      return rest.empty() || suffix ? Whole(v) : std::nullopt;
    }
    return named_ && n != 0 ? named_(std::string(token)) : std::nullopt;
  }

  std::string_view text_;
  const Named& named_;
};

}  // namespace

std::optional<Wide> whole_value(std::string_view text, const Named& named) {
  return Expression(text, named).value();
}

}  // namespace onefold::lab
