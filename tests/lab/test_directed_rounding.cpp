// Arithmetic with named rounding gives what the processor gives in that rounding mode.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include "kernel.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

constexpr unsigned n = 8192;
constexpr const char* ops[] = {"add", "sub", "mul", "div", "sqrt", "rcp", "fma", "cvt", "i2f"};
constexpr std::pair<const char*, int> roundings[] = {
    {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

// y[i] = op(a[i], b[i], c[i]); of cvt d[i] to f32, of i2f the bits of a[i] as an integer.
std::string text_of(const std::string& op, const std::string& rounding, bool wide) {
  const std::string t = wide ? "f64" : "f32", f = wide ? "fd" : "f", i = wide ? "s64" : "s32",
                    r = wide ? "rd" : "r";
  const std::string what =
      op == "cvt"   ? "cvt." + rounding + ".f32.f64 %f4, %fd9"
      : op == "i2f" ? fmt::format("cvt.{}.{}.{} %{}4, %{}4", rounding, t, i, f, r)
      : op == "fma" ? fmt::format("fma.{}.{} %{}4, %{}1, %{}2, %{}3", rounding, t, f, f, f, f)
      : op == "sqrt" || op == "rcp"
          ? fmt::format("{}.{}.{} %{}4, %{}1", op, rounding, t, f, f)
          : fmt::format("{}.{}.{} %{}4, %{}1, %{}2", op, rounding, t, f, f, f);
  const std::string load = wide ? "ld.global.f64 %fd" : "ld.global.f32 %f";
  std::string s =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 "
      "b, "
      ".param .u64 c, .param .u64 d, .param .u64 y) {\n.reg .f32 %f<9>; .reg .f64 %fd<10>; .reg "
      ".b32 "
      "%r<9>; .reg .b64 %rd<19>;\nmov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, "
      "%tid.x;\n"
      "mad.lo.s32 %r5, %r1, %r2, %r3; mul.wide.u32 %rd1, %r5, 8;\n";
  s += fmt::format("mul.wide.u32 %rd2, %r5, {};\n", wide ? 8 : 4);
  for (int k = 0; k < 3; ++k) {
    s += fmt::format("ld.param.u64 %rd{}, [{}]; add.s64 %rd{}, %rd{}, %rd2; {}{}, [%rd{}];\n",
                     5 + k, "abc"[k], 5 + k, 5 + k, load, k + 1, 5 + k);
  }
  s += "ld.param.u64 %rd8, [d]; add.s64 %rd8, %rd8, %rd1; ld.global.f64 %fd9, [%rd8];\n";
  s += wide ? "mov.b64 %rd4, %fd1;\n" : "mov.b32 %r4, %f1;\n";
  s += what + ";\nld.param.u64 %rd9, [y]; add.s64 %rd9, %rd9, %rd2;\n";
  return s + (wide && op != "cvt" ? "st.global.f64 [%rd9], %fd4" : "st.global.f32 [%rd9], %f4") +
         ";\nret;\n}\n";
}

template <class T>
T random_number(std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  const T hard[] = {T(0),
                    -T(0),
                    T(1),
                    T(-1),
                    Limits::infinity(),
                    -Limits::infinity(),
                    Limits::max(),
                    Limits::lowest(),
                    Limits::denorm_min(),
                    -Limits::denorm_min(),
                    Limits::min(),
                    T(0.1)};
  const uint64_t bits = random();
  switch (random() % 4) {
    case 0:
      return hard[bits % std::size(hard)];
    case 1:
      return std::ldexp(static_cast<T>(static_cast<int64_t>(bits)), -40);
    default: {
      T v;
      std::memcpy(&v, &bits, sizeof v);
      return v;
    }
  }
}

template <class T>
[[gnu::noinline]] T by_processor(std::string_view op, int rounding, T x, T y, T z) {
  volatile T a = x, b = y, c = z;
  using Whole = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  const volatile Whole whole = std::bit_cast<Whole>(static_cast<T>(a));
  std::fesetround(rounding);
  volatile T v = op == "add"    ? a + b
                 : op == "sub"  ? a - b
                 : op == "mul"  ? a * b
                 : op == "div"  ? a / b
                 : op == "sqrt" ? std::sqrt(a)
                 : op == "rcp"  ? T(1) / a
                 : op == "i2f"  ? static_cast<T>(whole)
                                : std::fma(a, b, c);
  std::fesetround(FE_TONEAREST);
  return v;
}

template <class T>
void compare(const char* type) {
  std::mt19937_64 random(38);
  std::vector<T> x[3];
  std::vector<double> d;
  for (unsigned i = 0; i < n; ++i) {
    for (auto& v : x) v.push_back(random_number<T>(random));
    if (i % 8 == 0) x[1][i] = -x[0][i];              // sums of 0
    if (i % 8 == 1) x[2][i] = -(x[0][i] * x[1][i]);  // cancels except for a small remainder
    d.push_back(random_number<double>(random));
  }
  for (const std::string op : ops) {
    if (op == "cvt" && sizeof(T) == 8) continue;
    for (const auto& [name, rounding] : roundings) {
      const Scratch file(text_of(op, name, sizeof(T) == 8), ".ptx");
      KernelOptions o =
          options(file.path, fmt::format("k<<<{}, 256>>>(a, b, c, d, y)", n / 256),
                  fmt::format("a:{0}[{1}]=0, b:{0}[{1}]=0, c:{0}[{1}]=0, d:f64[{1}]=0, y:{0}[{1}]",
                              type, n));
      for (int k = 0; k < 3; ++k)
        std::memcpy(o.arguments[k].data.data(), x[k].data(), n * sizeof(T));
      std::memcpy(o.arguments[3].data.data(), d.data(), n * sizeof d[0]);
      const KernelResult r = run_kernel(o);
      for (unsigned i = 0; i < n; ++i) {
        T ours, theirs = by_processor<T>(op, rounding, x[0][i], x[1][i], x[2][i]);
        if (op == "cvt") {
          std::fesetround(rounding);
          volatile float narrow = static_cast<float>(static_cast<volatile double&>(d[i]));
          std::fesetround(FE_TONEAREST);
          theirs = narrow;
        }
        std::memcpy(&ours, r.arguments[4].data.data() + i * sizeof ours, sizeof ours);
        if (std::isnan(ours) && std::isnan(theirs)) continue;
        ASSERT_EQ(std::memcmp(&ours, &theirs, sizeof ours), 0)
            << op << '.' << name << '.' << type << " of " << x[0][i] << ", " << x[1][i] << ", "
            << x[2][i] << ": " << ours << ", and the processor has " << theirs;
      }
    }
  }
}

TEST(DirectedRounding, OfF32IsTheProcessors) { compare<float>("f32"); }
TEST(DirectedRounding, OfF64IsTheProcessors) { compare<double>("f64"); }

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
