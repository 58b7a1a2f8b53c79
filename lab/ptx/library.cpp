#include "lab/ptx/library.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <map>

namespace onefold::lab::ptx {
namespace {

constexpr std::size_t most_printed = 1 << 20;

template <class T>
T argument(const Thread& t, const Call& c, std::size_t k) {
  T v{};
  const Code::Field f = c.arguments[k];
  std::memcpy(&v, t.params.data() + t.frames[t.depth - 1].params + f.offset, sizeof v);
  return v;
}
template <class T>
void result(Thread& t, const Call& c, T v) {
  if (c.results.empty()) return;
  std::memcpy(t.params.data() + t.frame().params + c.results[0].offset, &v, sizeof v);
}

// Formats one conversion of a format string with its value.
std::string formatted(const std::string& spec, char kind, uint64_t bits, const std::string& text) {
  char out[512];
  int n = 0;
  double d;
  std::memcpy(&d, &bits, sizeof d);
  const auto print = [&](auto v) { n = std::snprintf(out, sizeof out, spec.c_str(), v); };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  switch (kind) {
    case 'd':
    case 'i':
      print(static_cast<long long>(bits));
      break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      print(static_cast<unsigned long long>(bits));
      break;
    case 'c':
      print(static_cast<int>(bits));
      break;
    case 's':
      print(text.c_str());
      break;
    case 'p':
      return fmt::format("{:#x}", bits);
    default:
      print(d);
  }
#pragma GCC diagnostic pop
  return std::string(out, static_cast<std::size_t>(std::clamp(n, 0, int(sizeof out) - 1)));
}

void print(Thread& t, const Instruction&, const Call& c) {
  Running& run = *t.running;
  const std::string format = run.text_at(t, argument<uint64_t>(t, c, 0));
  uint64_t at = argument<uint64_t>(t, c, 1);
  std::string out;
  const auto next = [&](std::size_t bytes, bool sign) {
    at = (at + bytes - 1) / bytes * bytes;
    uint64_t v = 0;
    if (const std::byte* p = run.look(t, at, bytes)) std::memcpy(&v, p, bytes);
    at += bytes;
    if (sign && bytes == 4)
      v = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(v)));
    return v;
  };
  for (std::size_t k = 0; k < format.size(); ++k) {
    if (format[k] != '%') {
      out += format[k];
      continue;
    }
    std::string spec = "%";
    unsigned wide = 0;
    for (++k; k < format.size(); ++k) {
      const char f = format[k];
      if (f == '%') {
        out += '%';
        break;
      }
      if (f == 'l' || f == 'j' || f == 'z' || f == 't') {
        ++wide;
      } else if (f == 'h' || f == 'L') {
      } else if (f == '*') {
        spec += std::to_string(std::clamp(static_cast<int>(next(4, true)), -200, 200));
      } else if (std::isalpha(static_cast<unsigned char>(f)) != 0) {
        const bool integer = std::string_view("diuxXo").find(f) != std::string_view::npos;
        const bool real = std::string_view("fFeEgGaA").find(f) != std::string_view::npos;
        if (!integer && !real && f != 'c' && f != 's' && f != 'p') break;
        const bool sign = f == 'd' || f == 'i';
        const uint64_t bits = next(real || f == 's' || f == 'p' || wide != 0 ? 8 : 4, sign);
        if (spec.size() > 20) spec = "%";
        spec += integer ? std::string("ll") + f : std::string(1, f);
        out += formatted(spec, f, bits, f == 's' ? run.text_at(t, bits, 256) : std::string());
        break;
      } else {
        spec += f;
      }
    }
  }
  if (run.printed.size() < most_printed) run.printed += out;
  result(t, c, int32_t{0});
}

void assertion(Thread& t, const Instruction& i, const Call& c) {
  Running& run = *t.running;
  run.fail(t, i,
           fmt::format("assertion `{}' fails", run.text_at(t, argument<uint64_t>(t, c, 0), 256)));
}

template <class T, T (*f)(T)>
void of_one(Thread& t, const Instruction&, const Call& c) {
  result(t, c, f(argument<T>(t, c, 0)));
}
template <class T, T (*f)(T, T)>
void of_two(Thread& t, const Instruction&, const Call& c) {
  result(t, c, f(argument<T>(t, c, 0), argument<T>(t, c, 1)));
}

template <class T>
void ten_to_the(Thread& t, const Instruction&, const Call& c) {
  result(t, c, static_cast<T>(std::pow(10.0, static_cast<double>(argument<T>(t, c, 0)))));
}
template <class T>
void scaled(Thread& t, const Instruction&, const Call& c) {
  result(t, c, std::ldexp(argument<T>(t, c, 0), argument<int32_t>(t, c, 1)));
}

struct Entry {
  Library run;
  std::size_t arguments, bytes;
};

// Functions of C's library, of one and of two arguments, as f32 and f64.
#define ONEFOLD_LIBRARY(ONE, TWO)                                                          \
  ONE(sqrt), ONE(exp), ONE(exp2), ONE(expm1), ONE(log), ONE(log2), ONE(log10), ONE(log1p), \
      ONE(sin), ONE(cos), ONE(tan), ONE(asin), ONE(acos), ONE(atan), ONE(sinh), ONE(cosh), \
      ONE(tanh), ONE(asinh), ONE(acosh), ONE(atanh), ONE(nearbyint), ONE(erf), ONE(erfc),  \
      ONE(tgamma), ONE(lgamma), ONE(cbrt), ONE(floor), ONE(ceil), ONE(round), ONE(trunc),  \
      ONE(rint), ONE(fabs), TWO(pow), TWO(atan2), TWO(fmod), TWO(remainder), TWO(fdim),    \
      TWO(nextafter), TWO(hypot), TWO(fmin), TWO(fmax), TWO(copysign)
#define ONEFOLD_ONE(name)                           \
  {#name "f", {&of_one<float, std::name>, 1, 4}}, { \
#name, { &of_one<double, std::name>, 1, 8 }     \
  }
#define ONEFOLD_TWO(name)                           \
  {#name "f", {&of_two<float, std::name>, 2, 4}}, { \
#name, { &of_two<double, std::name>, 2, 8 }     \
  }

const std::map<std::string_view, Entry>& functions() {
  static const std::map<std::string_view, Entry> all{{"vprintf", {&print, 2, 8}},
                                                     {"__assertfail", {&assertion, 5, 4}},
                                                     {"exp10f", {&ten_to_the<float>, 1, 4}},
                                                     {"exp10", {&ten_to_the<double>, 1, 8}},
                                                     {"ldexpf", {&scaled<float>, 2, 4}},
                                                     {"ldexp", {&scaled<double>, 2, 4}},
                                                     ONEFOLD_LIBRARY(ONEFOLD_ONE, ONEFOLD_TWO)};
  return all;
}

#undef ONEFOLD_LIBRARY
#undef ONEFOLD_ONE
#undef ONEFOLD_TWO

}  // namespace

Library library_function(std::string_view name) {
  const auto at = functions().find(name);
  return at == functions().end() ? nullptr : at->second.run;
}
bool library_fits(std::string_view name, const Call& call) {
  const Entry& e = functions().at(name);
  if (call.arguments.size() != e.arguments || call.results.size() > 1) return false;
  for (const auto& f : call.arguments) {
    if (f.bytes < e.bytes && name != "__assertfail") return false;
  }
  return true;
}

}  // namespace onefold::lab::ptx
