// Arithmetic of f16 and bf16, one or two to a register: computed exactly in double (fma: rounded to
// odd), then rounded once.
#include "lab/ptx/op/half.hpp"

#include "lab/ptx/decode.hpp"
#include "lab/ptx/op/rounding.hpp"

namespace onefold::lab::ptx {
namespace {

enum class Do : uint8_t { add, sub, mul, fma, min, max, neg, abs, tanh, ex2 };

// Returns a b + c rounded to odd: the product is exact; if the sum is inexact, its last bit is set.
double fused(double a, double b, double c) {
  const double p = a * b, s = p + c;
  if (!std::isfinite(s)) return s;
  const double back = s - p, lost = (p - (s - back)) + (c - back);
  auto bits = std::bit_cast<uint64_t>(s);
  if (lost != 0 && (bits & 1) == 0) bits = (lost > 0) == (s > 0) ? bits + 1 : bits - 1;
  return std::bit_cast<double>(bits);
}

template <class F, Do what>
uint16_t one(const Instruction& i, uint16_t x, uint16_t y, uint16_t z) {
  if constexpr (what == Do::neg) return x ^ 0x8000;
  if constexpr (what == Do::abs) return x & 0x7fff;
  const double a = F::wide(x), b = F::wide(y), c = F::wide(z);
  double v = 0;
  if constexpr (what == Do::add) v = fused(a, 1, b);
  if constexpr (what == Do::sub) v = fused(a, 1, -b);
  if constexpr (what == Do::mul) v = a * b;
  if constexpr (what == Do::fma) v = fused(a, b, c);
  if constexpr (what == Do::min) v = extreme_of(a, b, false, i.flag);
  if constexpr (what == Do::max) v = extreme_of(a, b, true, i.flag);
  if constexpr (what == Do::tanh) v = std::tanh(a);
  if constexpr (what == Do::ex2) v = std::exp2(a);
  if (i.sign) v = clamped(v);
  if ((i.mode & 1) != 0 && v < 0) v = 0;  // .relu
  return F::narrow(v);
}

template <class F, Do what, bool two>
void run(Thread& t, const Instruction& i) {
  const uint32_t a = get<uint32_t>(t, i.r[1]), b = get<uint32_t>(t, i.r[2]),
                 c = get<uint32_t>(t, i.r[3]);
  uint32_t v = one<F, what>(i, uint16_t(a), uint16_t(b), uint16_t(c));
  if (two)
    v |= uint32_t{one<F, what>(i, uint16_t(a >> 16), uint16_t(b >> 16), uint16_t(c >> 16))} << 16;
  put(t, i.r[0], v);
}

template <Do what>
Handler pick(Decoding& d) {
  d.take("rn");
  d.take("approx");
  d.take("ftz");
  d.out.sign = d.take("sat");
  d.out.flag = d.take("NaN");
  d.out.mode = d.take("relu") ? 1 : 0;
  const Type t = d.type();
  constexpr bool unary = what == Do::neg || what == Do::abs || what == Do::tanh || what == Do::ex2;
  if (what == Do::fma) {
    d.slots({t, t, t, t});
  } else if (unary) {
    d.slots({t, t});
  } else {
    d.slots({t, t, t});
  }
  return t == Type::f16      ? &run<F16, what, false>
         : t == Type::f16x2  ? &run<F16, what, true>
         : t == Type::bf16   ? &run<Bf16, what, false>
         : t == Type::bf16x2 ? &run<Bf16, what, true>
                             : nullptr;
}

Handler any(Decoding& d) {
  const std::string_view base = d.base();
  if (base == "fma") return pick<Do::fma>(d);
  if (base == "tanh") return pick<Do::tanh>(d);
  return base == "ex2" ? pick<Do::ex2>(d) : nullptr;
}

// The first entry handles instructions that the table for f32 passes on.
constexpr Op all[] = {{"half", &any},          {"add", &pick<Do::add>}, {"sub", &pick<Do::sub>},
                      {"mul", &pick<Do::mul>}, {"min", &pick<Do::min>}, {"max", &pick<Do::max>},
                      {"neg", &pick<Do::neg>}, {"abs", &pick<Do::abs>}};

}  // namespace

const std::span<const Op> half_ops = all;

}  // namespace onefold::lab::ptx
