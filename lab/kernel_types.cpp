#include "lab/kernel_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <span>

#include "lab/ptx/compile.hpp"
#include "lab/ptx/program.hpp"
#include "lab/refuse.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace {

struct Fundamental {
  std::string_view name;
  DType dtype;
};
// A vector type, such as float4, counts as its element type.
constexpr Fundamental fundamentals[] = {
    {"short", DType::i16},          {"unsigned short", DType::u16},
    {"ushort", DType::u16},         {"int", DType::i32},
    {"unsigned int", DType::u32},   {"uint", DType::u32},
    {"long", DType::i64},           {"unsigned long", DType::u64},
    {"long long", DType::i64},      {"unsigned long long", DType::u64},
    {"longlong", DType::i64},       {"ulonglong", DType::u64},
    {"float", DType::f32},          {"double", DType::f64},
    {"__half", DType::f16},         {"__half2", DType::f16},
    {"__nv_bfloat16", DType::bf16}, {"__nv_bfloat162", DType::bf16},
    {"bool", DType::boolean}};

std::optional<DType> fundamental(std::string_view name) {
  for (const Fundamental& f : fundamentals) {
    const std::string_view rest = name.substr(std::min(f.name.size(), name.size()));
    const bool vector = rest.size() == 1 && rest[0] >= '1' && rest[0] <= '4';
    if (name.starts_with(f.name) && (rest.empty() || vector)) return f.dtype;
  }
  return std::nullopt;
}

}  // namespace

std::optional<DType> dtype_of_c(std::string_view name) {
  constexpr Fundamental others[] = {{"char", DType::i8},
                                    {"signed char", DType::i8},
                                    {"unsigned char", DType::u8},
                                    {"unsigned", DType::u32},
                                    {"half", DType::f16}};
  for (const std::span<const Fundamental> all :
       {std::span<const Fundamental>(fundamentals), {others}}) {
    for (const Fundamental& f : all) {
      if (f.name == name && !name.ends_with('2')) return f.dtype;  // no vectors
    }
  }
  return std::nullopt;
}

namespace {

bool same_kind(DType a, DType b) {
  return is_floating(a) == is_floating(b) && bytes_of(a) == bytes_of(b) &&
         (a == b || !is_floating(a));
}

// Removes " const", " volatile" and " __restrict".
std::string unqualified(std::string type) {
  for (const std::string_view word : {" const", " volatile", " __restrict__", " __restrict"}) {
    for (auto at = type.find(word); at != type.npos; at = type.find(word)) {
      type.erase(at, word.size());
    }
  }
  return type;
}

// Returns "const float*" for "float const*", as users write it.
std::string as_written(const std::string& type) {
  const auto at = type.find(" const");
  return at == type.npos || type.find('<') != type.npos
             ? type
             : "const " + type.substr(0, at) + type.substr(at + 6);
}

}  // namespace

std::vector<std::string> parameter_types(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return {};
  const std::string s = ptx::demangled(mangled);
  // Finds the last ( that is not within brackets.
  int depth = 0;
  std::size_t k = s.size();
  while (k-- > 0) {
    if (s[k] == ')' || s[k] == '>') ++depth;
    if (s[k] == '(' || s[k] == '<') --depth;
    if (s[k] == '(' && depth == 0) break;
  }
  if (k >= s.size() || !s.ends_with(')')) return {};
  const std::string inner = s.substr(k + 1, s.size() - k - 2);
  return inner.empty() ? std::vector<std::string>() : split_list(inner);
}

std::optional<DType> pointed_type(const std::string& parameter) {
  std::string type = unqualified(parameter);
  if (!type.ends_with('*')) return std::nullopt;
  type.pop_back();
  return fundamental(type);
}

std::string example_arguments(const std::vector<std::string>& parameters,
                              const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    all += all.empty() ? "" : ", ";
    all += k < names.size() ? names[k] : std::string(1, static_cast<char>('a' + k));
    all += unqualified(parameters[k]).ends_with('*')
               ? fmt::format(":{}[1000]=iota",
                             name_of(pointed_type(parameters[k]).value_or(DType::i32)))
               : "=1000";
  }
  return all;
}

std::vector<std::string> parameter_names(const std::string& source, const std::string& kernel) {
  if (!std::all_of(kernel.begin(), kernel.end(), in_word)) return {};
  const std::string mark = "__global__";
  const std::regex head(mark + "[^;{}]*?\\b" + kernel + "\\s*\\(([^()]*)\\)");
  const std::regex last("([A-Za-z_]\\w*)\\s*(\\[[^\\]]*\\])?\\s*$");
  constexpr std::size_t longest = 4096;  // std::regex goes deeper with each character
  const std::string text = ptx::without_comments(source);
  std::smatch found, name;
  std::vector<std::string> all;
  for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    const std::string here = text.substr(at, std::min(text.find_first_of(";{}", at) - at, longest));
    if (!std::regex_search(here, found, head)) continue;
    for (const std::string& p : split_list(found[1].str())) {
      if (!std::regex_search(p, name, last)) return {};
      all.push_back(name[1]);
    }
    return all;
  }
  return {};
}

void check_type(const KernelArgument& a, const std::string& parameter, std::size_t index,
                const std::string& kernel) {
  std::string type = unqualified(parameter);
  const bool pointer = type.ends_with('*') || type.ends_with(']') || type.ends_with('&');
  if (pointer) type.pop_back();
  const auto wanted = fundamental(type);
  if (a.is_array != pointer || !wanted || same_kind(*wanted, a.dtype)) return;
  const std::string size = a.is_array ? fmt::format("[{}]", a.n) : "";
  throw Error(ErrorCode::type_mismatch,
              fmt::format("lab run: {} is {}{}, and parameter {} of {} is {}; give {}", a.name,
                          name_of(a.dtype), size, index + 1, kernel, as_written(parameter),
                          name_of(*wanted)));
}

}  // namespace onefold::lab
