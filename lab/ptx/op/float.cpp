// Arithmetic of f32 and f64; each operation rounds once, as it says. Approximate ones (sin.approx,
// rcp.approx, ...) give the f32 that is nearest to the host library's value, which is within the
// bounds that PTX states.
#include <algorithm>

#include "lab/ptx/decode.hpp"
#include "lab/ptx/op/rounding.hpp"

namespace onefold::lab::ptx {
namespace {

// `mode` is the rounding; `flag` flushes subnormal numbers to 0; `sign` clamps to 0..1.
template <class T, class F>
struct Rounded {
  static T in(const Thread& t, const Instruction& i, unsigned k) {
    const T v = get<T>(t, i.r[k]);
    return i.flag ? flushed(v) : v;
  }
  static void out(Thread& t, const Instruction& i, T v) {
    v = canonical(v);
    if (i.flag) v = flushed(v);
    if (i.sign) v = clamped(v);
    put(t, i.r[0], v);
  }
  template <class... A>
  static T rounded(const Instruction& i, A... a) {
    const T nearest = F::of(a...);
    if constexpr (requires { F::error(nearest, a...); }) {
      if (i.mode == to_nearest) return nearest;
      const int error = F::error(nearest, a...);
      // A sum of 0 for which an operand's sign decides.
      if constexpr (requires { F::has_negative(a...); }) {
        if (i.mode == down && nearest == 0 && error == 0 && F::has_negative(a...)) return -T(0);
      }
      return directed(i.mode, nearest, error);
    }
    return nearest;
  }
  static void one(Thread& t, const Instruction& i) {
    const T a = in(t, i, 1);
    out(t, i, rounded(i, a));
  }
  static void two(Thread& t, const Instruction& i) {
    const T a = in(t, i, 1), b = in(t, i, 2);
    out(t, i, rounded(i, a, b));
  }
  static void three(Thread& t, const Instruction& i) {
    const T a = in(t, i, 1), b = in(t, i, 2), c = in(t, i, 3);
    out(t, i, rounded(i, a, b, c));
  }
  // The most common case: to nearest, without flushing and clamping.
  static void plain(Thread& t, const Instruction& i) {
    put(t, i.r[0], canonical(F::of(get<T>(t, i.r[1]), get<T>(t, i.r[2]))));
  }
};

struct Add {
  static constexpr auto of = [](auto a, auto b) { return a + b; };
  static int error(Quad nearest, Quad a, Quad b) { return error_sign(a, b, nearest); }
  static constexpr auto has_negative = [](auto a, auto b) {
    return std::signbit(a) || std::signbit(b);
  };
};
struct Sub {
  static constexpr auto of = [](auto a, auto b) { return a - b; };
  static int error(Quad nearest, Quad a, Quad b) { return error_sign(a, -b, nearest); }
  static constexpr auto has_negative = [](auto a, auto b) {
    return std::signbit(a) || !std::signbit(b);
  };
};
struct Mul {
  static constexpr auto of = [](auto a, auto b) { return a * b; };
  static int error(Quad nearest, Quad a, Quad b) { return error_sign(a * b, nearest); }
};
struct Div {
  static constexpr auto of = [](auto a, auto b) { return a / b; };
  static int error(Quad nearest, Quad a, Quad b) {
    return b < 0 ? error_sign(nearest * b, a) : error_sign(a, nearest * b);
  }
};
struct Fma {
  static constexpr auto of = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
  static int error(Quad nearest, Quad a, Quad b, Quad c) { return error_sign(a * b, c, nearest); }
  static constexpr auto has_negative = [](auto a, auto b, auto c) {
    return std::signbit(a) != std::signbit(b) || std::signbit(c);
  };
};
struct Root {
  static constexpr auto of = [](auto a) { return std::sqrt(a); };
  static int error(Quad nearest, Quad a) { return error_sign(a, nearest * nearest); }
};
struct Reciprocal {
  static constexpr auto of = []<class T>(T a) { return T(1) / a; };
  static int error(Quad nearest, Quad a) { return Div::error(nearest, 1, a); }
};
// A function whose result is not rounded, or to nearest only.
template <auto f>
struct Plain {
  static constexpr auto of = f;
};
// Computed in double, then rounded: within 1 ulp of f32.
template <double (*f)(double)>
struct InDouble {
  static constexpr auto of = []<class T>(T a) { return static_cast<T>(f(double{a})); };
};
double reciprocal_root(double a) { return 1.0 / std::sqrt(a); }
using Abs = Plain<[](auto a) { return std::fabs(a); }>;
using Neg = Plain<[](auto a) { return -a; }>;
using CopySign = Plain<[](auto a, auto b) { return std::copysign(b, a); }>;  // b with a's sign

template <bool most, bool nan>
struct Extreme {
  static constexpr auto of = [](auto a, auto b) { return extreme_of(a, b, most, nan); };
};
template <bool most>
struct ExtremeSize {  // for .xorsign.abs
  static constexpr auto of = [](auto a, auto b) {
    const auto v = extreme_of(std::fabs(a), std::fabs(b), most, false);
    return std::signbit(a) != std::signbit(b) ? -v : v;
  };
};

std::optional<Type> common(Decoding& d) {
  d.out.mode = take_rounding(d);
  d.out.flag = d.take("ftz");
  d.out.sign = d.take("sat");
  const Type t = d.type();
  if (t == Type::f32 || t == Type::f64) return t;
  return std::nullopt;
}

template <class F>
Handler two(Decoding& d) {
  d.take_any({"approx", "full"});
  const auto t = common(d);
  if (!t) return nullptr;
  d.slots({*t, *t, *t});
  if (d.out.mode == to_nearest && !d.out.flag && !d.out.sign) {
    return t == Type::f32 ? &Rounded<float, F>::plain : &Rounded<double, F>::plain;
  }
  return t == Type::f32 ? &Rounded<float, F>::two : &Rounded<double, F>::two;
}
template <class F>
Handler one(Decoding& d) {
  d.take("approx");
  const auto t = common(d);
  if (!t) return nullptr;
  d.slots({*t, *t});
  return t == Type::f32 ? &Rounded<float, F>::one : &Rounded<double, F>::one;
}
Handler fma(Decoding& d) {
  const auto t = common(d);
  if (!t) return nullptr;
  d.slots({*t, *t, *t, *t});
  return t == Type::f32 ? &Rounded<float, Fma>::three : &Rounded<double, Fma>::three;
}
template <bool most>
Handler extreme(Decoding& d) {
  const bool nan = d.take("NaN"), size = d.take("xorsign");
  if (size && !d.take("abs")) return nullptr;
  if (size) return two<ExtremeSize<most>>(d);
  return nan ? two<Extreme<most, true>>(d) : two<Extreme<most, false>>(d);
}

template <class T>
void test_property(Thread& t, const Instruction& i) {
  const T a = get<T>(t, i.r[1]);
  const int c = std::fpclassify(a);
  const bool is[] = {c != FP_INFINITE && c != FP_NAN, c == FP_INFINITE, c != FP_NAN, c == FP_NAN,
                     c == FP_NORMAL || c == FP_ZERO,  c == FP_SUBNORMAL};
  put(t, i.r[0], uint32_t{is[i.mode]});
}
Handler testp(Decoding& d) {
  bool found = false;
  uint8_t k = 0;
  for (const auto m : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) {
    if (d.take(m)) d.out.mode = k, found = true;
    ++k;
  }
  const Type t = d.type();
  d.slots({Type::pred, t});
  if (!found || (t != Type::f32 && t != Type::f64)) return nullptr;
  return t == Type::f32 ? &test_property<float> : &test_property<double>;
}

// Instructions that halves have, too.
template <Handler (*f)(Decoding&)>
Handler or_half(Decoding& d) {
  Decoding look = d;
  look.take("approx");
  look.take("ftz");
  const Type t = look.type();
  return t == Type::f32 || t == Type::f64 ? f(d) : half_ops.front().decode(d);
}

constexpr Op all[] = {{"add", &two<Add>},
                      {"sub", &two<Sub>},
                      {"mul", &two<Mul>},
                      {"div", &two<Div>},
                      {"fma", &or_half<&fma>},
                      {"mad", &fma},
                      {"min", &extreme<false>},
                      {"max", &extreme<true>},
                      {"abs", &one<Abs>},
                      {"neg", &one<Neg>},
                      {"sqrt", &one<Root>},
                      {"rcp", &one<Reciprocal>},
                      {"rsqrt", &one<InDouble<&reciprocal_root>>},
                      {"sin", &one<InDouble<&std::sin>>},
                      {"cos", &one<InDouble<&std::cos>>},
                      {"lg2", &one<InDouble<&std::log2>>},
                      {"ex2", &or_half<&one<InDouble<&std::exp2>>>},
                      {"tanh", &or_half<&one<InDouble<&std::tanh>>>},
                      {"copysign", &two<CopySign>},
                      {"testp", &testp}};

}  // namespace

const std::span<const Op> float_ops = all;

uint8_t flops_of(std::string_view opcode, std::string_view base) {
  constexpr std::string_view rounding[] = {"add", "sub",   "mul", "div", "fma", "mad", "sqrt",
                                           "rcp", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"};
  const auto type = type_of(opcode.substr(opcode.rfind('.') + 1));
  if (!type || !is_float(*type) ||
      std::find(std::begin(rounding), std::end(rounding), base) == std::end(rounding))
    return 0;
  const bool two = *type == Type::f16x2 || *type == Type::bf16x2;
  return static_cast<uint8_t>((base == "fma" || base == "mad" ? 2 : 1) * (two ? 2 : 1));
}

}  // namespace onefold::lab::ptx
