#include "lab/kernel_declared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <regex>

#include "lab/refuse.hpp"
#include "lab/whole_value.hpp"

namespace onefold::lab {
namespace {

constexpr int deepest = 8;

// Returns the value of a macro or a constant of the source.
std::optional<Wide> constant_in(const std::string& source, const std::string& name, int depth) {
  if (depth == deepest) return std::nullopt;
  const std::regex macro("#define[ \\t]+" + name + "[ \\t]+([^\\n]*?)[ \\t]*(//[^\\n]*)?(\\n|$)");
  const std::regex constant("\\bconst(expr)?\\s[\\w \\t]*\\b" + name + "\\s*=\\s*([^;]*);");
  std::smatch m;
  const bool is_macro = std::regex_search(source, m, macro);
  if (!is_macro && !std::regex_search(source, m, constant)) return std::nullopt;
  return whole_value(m[is_macro ? 1 : 2].str(), [&](const std::string& other) {
    return constant_in(source, other, depth + 1);
  });
}

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
  if (!std::all_of(name.begin(), name.end(), in_word)) return std::nullopt;
  const std::regex declaration("__(shared|device|constant)__([^;(){}]*?)\\b" + name +
                               "\\s*((\\[[^\\]]*\\]\\s*)+)");
  std::smatch m;
  if (!std::regex_search(source, m, declaration)) return std::nullopt;
  Declared d{.element = bytes_of_type(m[2]), .inner = {}};
  const std::string brackets = m[3];
  for (auto at = brackets.find('[', 1); at != brackets.npos; at = brackets.find('[', at + 1)) {
    const auto v = whole_value(brackets.substr(at + 1, brackets.find(']', at) - at - 1),
                               [&](const std::string& n) { return constant_in(source, n, 0); });
    if (!v || *v <= 0 || *v > 1 << 24) return Declared{.element = d.element, .inner = {}};
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
