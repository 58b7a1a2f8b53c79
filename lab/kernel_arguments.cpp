#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include "lab/kernel_run.hpp"
#include "lab/kernel_types.hpp"
#include "lab/ptx/op/half.hpp"
#include "lab/refuse.hpp"
#include "lab/simulate.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace {

constexpr Size most_elements = Size{1} << 30;

bool is_name(const std::string& s) {
  if (s.empty() || std::isdigit(static_cast<unsigned char>(s[0])) != 0) return false;
  return std::all_of(s.begin(), s.end(), in_word);
}

// Reads a count: 1000, 2^20, 2^20+3, 64*256.
Size count_of(const std::string& text) {
  const auto v = whole_value(text);
  if (!v)
    refuse(fmt::format("\"{}\" is not a whole number; write a number such as 1000 or 2^20", text));
  if (*v < 0 || *v > most_elements) {
    refuse(fmt::format("\"{}\" is not between 0 and 2^30", text));
  }
  return static_cast<Size>(*v);
}

std::optional<DType> dtype_named(std::string_view name) {
  for (int k = 0; k < dtype_count; ++k) {
    if (name == name_of(static_cast<DType>(k))) return static_cast<DType>(k);
  }
  return std::nullopt;
}

void put(KernelArgument& a, Size i, double v) {
  std::byte* to = a.data.data() + i * bytes_of(a.dtype);
  const auto store = [&](auto x) { std::memcpy(to, &x, sizeof x); };
  const auto whole = std::fabs(v) < 0x1p63 ? static_cast<int64_t>(v) : 0;
  switch (a.dtype) {
    case DType::f32:
      return store(static_cast<float>(v));
    case DType::f64:
      return store(v);
    case DType::f16:
      return store(ptx::F16::narrow(v));
    case DType::bf16:
      return store(ptx::Bf16::narrow(v));
    case DType::boolean:
      return store(static_cast<uint8_t>(v != 0));
    default:
      std::memcpy(to, &whole, bytes_of(a.dtype));
  }
}

std::optional<double> number_of(const std::string& s) {
  double v = 0;
  const char* from = s.data() + (s.starts_with('+') ? 1 : 0);
  const auto r = std::from_chars(from, s.data() + s.size(), v);
  if (r.ec != std::errc{} || r.ptr != s.data() + s.size()) return std::nullopt;
  return v;
}

// Parses an element: integers exactly, and an error for a value that the type cannot hold.
void put(KernelArgument& a, Size i, const std::string& s) {
  if (!is_floating(a.dtype) && a.dtype != DType::boolean) {
    if (const auto whole = whole_number(s)) {
      const auto bits = static_cast<int>(8 * bytes_of(a.dtype));
      const bool sign = name_of(a.dtype)[0] == 'i';
      const Wide least = sign ? -(Wide{1} << (bits - 1)) : 0;
      const Wide most = (Wide{1} << (sign ? bits - 1 : bits)) - 1;
      if (*whole < least || *whole > most) {
        refuse(fmt::format("{}: {} does not fit {}; give the argument another type", a.name, s,
                           name_of(a.dtype)));
      }
      const auto v = static_cast<uint64_t>(*whole);
      std::memcpy(a.data.data() + i * bytes_of(a.dtype), &v, bytes_of(a.dtype));
      return;
    }
  }
  const auto v = number_of(s);
  if (!v) refuse(fmt::format("\"{}\" is not a number", s));
  if (!is_floating(a.dtype) && a.dtype != DType::boolean) {
    if (std::trunc(*v) != *v || std::fabs(*v) >= 0x1p63) {
      refuse(fmt::format("{}: {} does not fit {}; give the argument another type", a.name, s,
                         name_of(a.dtype)));
    }
    return put(a, i, fmt::format("{:.0f}", *v));  // 1e3
  }
  put(a, i, *v);
}

// Random elements of the next array are by the next seed.
void fill(KernelArgument& a, const std::string& how, uint64_t& seed) {
  a.written = true;
  if (how.starts_with('[')) {
    if (!how.ends_with(']'))
      refuse(fmt::format("\"{}\" lacks its closing ]; write it as in [1, 2, 3]", how));
    const auto parts = split_list(std::string_view(how).substr(1, how.size() - 2));
    if (a.n == 0) a.n = parts.size();
    if (parts.size() != a.n) {
      refuse(fmt::format("{} has {} elements, but {} values are given", a.name, a.n, parts.size()));
    }
    a.data.assign(a.n * bytes_of(a.dtype), std::byte{0});
    for (Size i = 0; i < a.n; ++i) put(a, i, parts[i]);
    return;
  }
  if (how.starts_with('@')) {
    const std::size_t each = bytes_of(a.dtype);
    const std::string bytes =
        text_of_file(how.substr(1), (a.n != 0 ? a.n + 1 : most_elements) * each);
    if (a.n == 0) a.n = bytes.size() / each;
    if (bytes.size() != a.n * each) {
      refuse(
          fmt::format("{} has {} elements of {} bytes, and {} holds {} bytes; the file must "
                      "contain exactly the elements",
                      a.name, a.n, each, how.substr(1), bytes.size()));
    }
    a.data.resize(bytes.size());
    std::memcpy(a.data.data(), bytes.data(), bytes.size());
    return;
  }
  a.data.assign(a.n * bytes_of(a.dtype), std::byte{0});
  if (how == "zeros") return;
  if (how == "rand") {
    const auto x = elements(a.n, seed++);
    for (Size i = 0; i < a.n; ++i) put(a, i, x[i]);
    return;
  }
  if (how == "iota") {
    for (Size i = 0; i < a.n; ++i) put(a, i, static_cast<double>(i));
    return;
  }
  if (how != "ones" && !number_of(how)) {
    refuse(
        fmt::format("{}={} is not known; choose one of iota, zeros, ones, rand, a "
                    "number, [1, 2, 3] or @FILE",
                    a.name, how));
  }
  if (a.n == 0) return;
  put(a, 0, how == "ones" ? "1" : how);
  const std::size_t each = bytes_of(a.dtype);
  for (Size i = 1; i < a.n; ++i) std::memcpy(a.data.data() + i * each, a.data.data(), each);
}

}  // namespace

std::optional<Wide> whole_number(std::string_view s) {
  if (s.starts_with('+')) s.remove_prefix(1);
  const auto read = [&](auto v) -> std::optional<Wide> {
    const auto r = std::from_chars(s.data(), s.data() + s.size(), v);
    if (r.ec != std::errc{} || r.ptr != s.data() + s.size()) return std::nullopt;
    return v;
  };
  const auto v = read(int64_t{});
  return v ? v : read(uint64_t{});
}

std::vector<std::string> split_list(std::string_view s, char mark) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t k = 0; k <= s.size(); ++k) {
    const char c = k < s.size() ? s[k] : mark;
    if (c == '[' || c == '(' || c == '<' || c == '{') ++depth;
    if (c == ']' || c == ')' || c == '>' || c == '}') --depth;
    if ((c == mark && depth <= 0) || k == s.size()) {
      parts.push_back(trimmed(s.substr(from, k - from)));
      from = k + 1;
    }
  }
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();
  return parts;
}

std::vector<KernelArgument> kernel_arguments(const std::string& text, uint64_t seed) {
  std::vector<KernelArgument> all;
  if (trimmed(text).empty()) return all;
  for (const std::string& part : split_list(text)) {
    KernelArgument a;
    const auto equals = part.find('=');
    std::string left = trimmed(std::string_view(part).substr(0, equals));
    const std::string right =
        equals == part.npos ? "" : trimmed(std::string_view(part).substr(equals + 1));
    const auto colon = left.find(':');
    a.name = trimmed(std::string_view(left).substr(0, colon));
    if (!is_name(a.name))
      refuse(fmt::format("\"{}\" is not an argument; write in:i32[1000]=iota or n=1000", part));
    for (const KernelArgument& o : all) {
      if (o.name == a.name) refuse(fmt::format("argument {} is given twice", a.name));
    }
    if (colon != left.npos) {
      std::string type = trimmed(std::string_view(left).substr(colon + 1));
      const auto bracket = type.find('[');
      a.is_array = bracket != type.npos || right.starts_with('[');
      if (bracket != type.npos) {
        if (!type.ends_with(']'))
          refuse(fmt::format("\"{}\" lacks its closing ]; write it as in x:i32[1000]", part));
        a.n = count_of(
            trimmed(std::string_view(type).substr(bracket + 1, type.size() - bracket - 2)));
        type = trimmed(std::string_view(type).substr(0, bracket));
      }
      auto dtype = dtype_named(type);
      if (!dtype) dtype = dtype_of_c(type);
      if (!dtype) {
        refuse(
            fmt::format("{} has an unknown type: \"{}\"; choose one of i8, i16, i32, i64, "
                        "u8, u16, u32, u64, f16, bf16, f32, f64, bool, or a C name such as float",
                        a.name, type));
      }
      a.dtype = *dtype;
      a.typed = true;
    }
    if (a.is_array) {
      if (!right.empty()) {
        fill(a, right, seed);
      } else {
        a.data.assign(a.n * bytes_of(a.dtype), std::byte{0});
      }
    } else {
      if (right.empty())
        refuse(fmt::format("argument {} has no value; write one, as in n=1000", a.name));
      a.value = right;
    }
    all.push_back(std::move(a));
  }
  return all;
}

Extent3 extent_of(const std::string& option, const std::string& text) {
  Extent3 e;
  std::string s = trimmed(text);
  if (s.starts_with('(') && s.ends_with(')')) s = s.substr(1, s.size() - 2);
  for (char& c : s) {
    if (c == 'x') c = ',';
  }
  const auto parts = split_list(s);
  if (parts.empty() || parts.size() > 3) {
    refuse(fmt::format("{} {} is not valid; write one to three numbers, such as 64 or 8,4", option,
                       text));
  }
  unsigned* to[] = {&e.x, &e.y, &e.z};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Size v = count_of(parts[k]);
    if (v == 0 || v > (Size{1} << 24)) {
      refuse(fmt::format("{} {} is out of range; each number is 1 to 2^24", option, text));
    }
    *to[k] = static_cast<unsigned>(v);
  }
  return e;
}

std::vector<KernelLaunch> kernel_launches(const std::string& text) {
  std::vector<KernelLaunch> all;
  for (const std::string& part : split_list(text, ';')) {
    if (part.empty()) continue;
    const auto open = part.find("<<<"), close = part.find(">>>");
    const auto first = close == part.npos ? part.npos : part.find('(', close);
    if (open == part.npos || first == part.npos || !part.ends_with(')') || open > close) {
      refuse(fmt::format("\"{}\" is not a launch; write kernel<<<64, 256>>>(in, out, n)", part));
    }
    KernelLaunch l;
    l.kernel = trimmed(std::string_view(part).substr(0, open));
    const auto how = split_list(std::string_view(part).substr(open + 3, close - open - 3));
    if (how.size() < 2 || how.size() > 3) {
      refuse(
          fmt::format("\"{}\" needs a grid and a block, as in <<<64, 256>>>; bytes of shared "
                      "memory are optional",
                      part));
    }
    l.grid = extent_of("grid", how[0]);
    l.block = extent_of("block", how[1]);
    if (how.size() == 3) l.shared = count_of(how[2]);
    const auto inner = trimmed(std::string_view(part).substr(first + 1, part.size() - first - 2));
    if (!inner.empty()) l.arguments = split_list(inner);
    if (l.arguments.empty()) l.arguments.emplace_back();  // no arguments, instead of all
    all.push_back(std::move(l));
  }
  if (all.empty()) refuse("the list of launches is empty; write kernel<<<64, 256>>>(in, out, n)");
  return all;
}

}  // namespace onefold::lab
