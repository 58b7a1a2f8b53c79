// An answer before it is rounded: a formula over the real numbers, kept exactly.
//
// Ops return a Real; `round` turns it into the result type, once. So no op can round twice.
// Rounding needs 64 leading bits and whether any lower bit is set. So a Real holds only that much
// of its number, on a processor and on a GPU.
#pragma once

#include "onefold/core/dtype.hpp"
#include "onefold/core/exact/leading.hpp"
#include "onefold/core/status.hpp"

namespace onefold {

// (-1)^negative * numerator / (n * left), or the square root of that if `root`. Zero has a sign.
struct Real {
  enum class Kind : uint8_t { finite, infinite, nan, bad };
  Kind kind = Kind::finite;
  Status status = Status::ok;  // says what is wrong, if anything
  bool negative = false;
  bool root = false;
  Leading numerator;
  Uint128 n = 1, left = 1;  // both below 2^96

  ONEFOLD_FN static constexpr Real nan() {
    Real r;
    r.kind = Kind::nan;
    return r;
  }
  ONEFOLD_FN static constexpr Real infinity(bool negative = false) {
    Real r;
    r.kind = Kind::infinite;
    r.negative = negative;
    return r;
  }
  ONEFOLD_FN static constexpr Real bad(Status status) {
    Real r;
    r.kind = Kind::bad;
    r.status = status;
    return r;
  }
  ONEFOLD_FN static constexpr Real integer(Uint128 magnitude, bool negative = false) {
    Real r;
    r.numerator = Leading(magnitude);
    r.negative = negative;
    return r;
  }
  ONEFOLD_FN static constexpr Real zero(bool negative = false) { return integer(0, negative); }
  template <class T>
  ONEFOLD_FN static constexpr Real of(T x) {
    const Decoded d = decode(x);
    if (d.nan) return nan();
    if (d.infinite) return infinity(d.negative);
    Real r = integer(d.mantissa, d.negative);
    r.numerator.exponent += float_format(dtype_of<T>).unit + d.shift;
    return r;
  }
};

// The steps of a formula before rounding. A kernel compiles only those steps that some of its ops
// need.
struct RoundingSteps {
  bool quotient = true, second_quotient = true, root = true;
  bool integers = true;  // types other than floating-point ones
};
// The template argument of `round`: a type, since real.hpp is for C++17 too.
struct AllSteps {
  static constexpr RoundingSteps steps{};
};

// A rounded value as the bits of its type, low bits first, and its status. Bad: all bits are 0.
struct Rounded {
  uint64_t bits;
  Status status;
};

namespace detail {

// Rounds to nearest, ties to even: (-1)^negative * (mantissa + a fraction in [0, 1), not 0 if
// sticky) * 2^exponent. The mantissa's top bit is set.
ONEFOLD_FN constexpr uint64_t round_leading(uint64_t mantissa, int exponent, bool sticky,
                                            bool negative, FloatFormat f) {
  const uint64_t sign = static_cast<uint64_t>(negative) << (f.mantissa_bits + f.exponent_bits);
  if (exponent + 64 > f.top) return sign | f.infinity();
  // The lowest bit that the result keeps has weight 2^keep; 11 bits or more are dropped.
  const int normal = exponent + 63 - f.mantissa_bits;
  const int keep = normal > f.unit ? normal : f.unit;
  const int drop = keep - exponent;
  if (drop > 64) return sign;  // less than half of the smallest subnormal
  uint64_t q = drop == 64 ? 0 : mantissa >> drop;
  const uint64_t rest = mantissa << (64 - drop), half = uint64_t{1} << 63;
  if (rest > half || (rest == half && (sticky || (q & 1) != 0))) ++q;
  // q has at most mantissa_bits + 1 bits, or is 1 larger than such a number. Then the carry enters
  // the exponent field, and from the largest exponent it makes an infinity, as it should.
  const uint64_t biased = static_cast<uint64_t>(keep - f.unit) << f.mantissa_bits;
  return sign | (biased + q);
}
// Does the same for any mantissa.
ONEFOLD_FN constexpr uint64_t round_to_float(Uint128 mantissa, int exponent, bool sticky,
                                             bool negative, FloatFormat f) {
  // A mantissa of 0 gives zero: sticky bits alone are less than half of the smallest subnormal.
  if (mantissa == 0) return static_cast<uint64_t>(negative) << (f.mantissa_bits + f.exponent_bits);
  const int shift = 128 - bit_length(mantissa);
  const Uint128 m = mantissa << shift;
  return round_leading(static_cast<uint64_t>(m >> 64), exponent - shift + 64,
                       sticky || static_cast<uint64_t>(m) != 0, negative, f);
}

}  // namespace detail

// Rounds to a floating-point type: to nearest even; overflow gives infinity; subnormals are kept.
template <class Taken = AllSteps>
ONEFOLD_FN constexpr uint64_t round_float(const Real& r, FloatFormat f) {
  constexpr RoundingSteps steps = Taken::steps;
  const uint64_t sign = r.negative ? f.sign() : 0;
  if (r.kind == Real::Kind::nan) return f.nan();
  if (r.kind == Real::Kind::infinite) return sign | f.infinity();
  if (r.numerator.zero()) return sign;
  // 64 leading bits and a sticky bit decide any rounding to at most 53 bits. A root has half as
  // many bits as its radicand. A second division needs 96 bits more of the first quotient.
  Uint128 m = r.numerator.high();
  int e = r.numerator.exponent + Leading::bits - 128;
  bool sticky = r.numerator.below_high();
  if constexpr (steps.quotient) {
    if ((r.n >> 32) == 0 && r.left == 1 && !r.root) {
      if (r.n != 1) {
        const auto q = divide_by_word(m, static_cast<uint32_t>(r.n));
        const int shift = 128 - bit_length(q.floor);
        m = q.floor << shift;
        e -= shift;
        sticky = sticky || q.rest;
      }
    } else if (r.n != 1 || r.left != 1) {
      const int digits = r.root ? 4 : 3;
      Leading q = r.numerator;
      if (r.n != 1) q = divide(Leading(q), r.n, r.left != 1 ? Leading::size - 3 : digits);
      if constexpr (steps.second_quotient) {
        if (r.left != 1) q = divide(Leading(q), r.left, digits);
      }
      m = q.high();
      e = q.exponent + Leading::bits - 128;
      sticky = q.below_high();
    }
  }
  if constexpr (steps.root) {
    if (r.root) {
      // sqrt(m * 2^e): e is made even; then floor(sqrt(floor(m))) = floor(sqrt(m)) has 64 bits.
      if ((e & 1) != 0) {
        sticky = sticky || (m & 1) != 0;
        m >>= 1;
        ++e;
      }
      const uint64_t s = integer_sqrt(m);
      sticky = sticky || static_cast<Uint128>(s) * s != m;
      return detail::round_leading(s, e / 2, sticky, r.negative, f);
    }
  }
  sticky = sticky || static_cast<uint64_t>(m) != 0;
  return detail::round_leading(static_cast<uint64_t>(m >> 64), e + 64, sticky, r.negative, f);
}

// Rounds to an integer type, exactly, or to `overflow`. Ops return only whole numbers for it.
ONEFOLD_FN constexpr Rounded round_integer(const Real& r, DType t) {
  const int bits = static_cast<int>(8 * bytes_of(t));
  const bool is_signed = kind_of(t) == Kind::signed_integer;
  if (r.kind != Real::Kind::finite) return {0, Status::overflow};
  if (r.numerator.zero()) return {0, Status::ok};
  if (r.numerator.top() > 64) return {0, Status::overflow};
  const auto m = static_cast<uint64_t>(r.numerator.high() >> (128 - r.numerator.top()));
  const uint64_t limit = is_signed ? (uint64_t{1} << (bits - 1)) - (r.negative ? 0 : 1)
                                   : (r.negative ? 0 : ~uint64_t{0} >> (64 - bits));
  if (m > limit) return {0, Status::overflow};
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  return {(r.negative ? ~m + 1 : m) & mask, Status::ok};
}

template <class Taken = AllSteps>
ONEFOLD_FN constexpr Rounded round(const Real& r, DType t) {
  if (r.kind == Real::Kind::bad) return {0, r.status};
  if (!Taken::steps.integers || is_floating(t)) {
    return {round_float<Taken>(r, float_format(t)), Status::ok};
  }
  if (t == DType::boolean) return {r.numerator.zero() ? uint64_t{0} : uint64_t{1}, Status::ok};
  return round_integer(r, t);
}

}  // namespace onefold
