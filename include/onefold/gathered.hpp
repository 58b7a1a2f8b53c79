// What an op sees: the canonical words of its accumulators, read as numbers.
#pragma once

#include "onefold/accumulator.hpp"
#include "onefold/correction.hpp"
#include "onefold/exact/real.hpp"

namespace onefold {

// A sum as an exact number: (-1)^negative * magnitude * 2^unit.
struct ExactSum {
  Big magnitude;
  bool negative = false;
  int unit = 0;
};

// Canonical limbs (exact/limbs.hpp) as sign and magnitude.
ONEFOLD_FN constexpr ExactSum read_limbs(const int64_t* limb, int n, int unit) {
  ExactSum s;
  s.unit = unit;
  s.negative = limb[n - 1] < 0;
  // Two's complement: negate all digits where the top limb is negative.
  uint64_t c = s.negative ? 1 : 0;
  const uint32_t flip = s.negative ? 0xffffffffu : 0;
  int k = 0;
  for (; k < n - 1; ++k) {
    c += static_cast<uint32_t>(limb[k]) ^ flip;
    s.magnitude.digit[k] = static_cast<uint32_t>(c);
    c >>= 32;
  }
  uint64_t top = static_cast<uint64_t>(limb[n - 1]);
  if (s.negative) top = ~top + c;
  s.magnitude.digit[k++] = static_cast<uint32_t>(top);
  s.magnitude.digit[k++] = static_cast<uint32_t>(top >> 32);
  s.magnitude.size = k;
  s.magnitude.trim();
  return s;
}

struct Tally {
  Size n = 0, nan = 0, positive_infinity = 0, negative_infinity = 0;
  Size invalid = 0;  // products inf * 0
  bool all_negative_zero = false;
  ONEFOLD_FN constexpr bool infinite() const { return positive_infinity + negative_infinity != 0; }
};

// The least or greatest element: NaN, a value with its index, or nothing.
struct Extreme {
  bool empty = false;
  bool nan = false;
  Real value;
  Size index = none;
};

struct Gathered {
  DType dtype = DType::f64;
  NanPolicy nan = NanPolicy::propagate;
  Correction correction;
  const int64_t* words[accumulator_count] = {};  // where an op's needs are

  ONEFOLD_FN constexpr const int64_t* at(Accumulator a) const { return words[static_cast<int>(a)]; }

  // n counts the elements that the policy leaves.
  ONEFOLD_FN constexpr Tally tally() const {
    using T = accumulator::tally<double>;
    const int64_t* w = at(Accumulator::tally);
    Tally t{.n = static_cast<Size>(w[T::n]),
            .nan = static_cast<Size>(w[T::nan]),
            .positive_infinity = static_cast<Size>(w[T::positive_infinity]),
            .negative_infinity = static_cast<Size>(w[T::negative_infinity])};
    if (nan == NanPolicy::omit) t.n -= t.nan;
    t.all_negative_zero = is_floating(dtype) && t.n > t.nan * (nan != NanPolicy::omit) &&
                          w[T::not_negative_zero] == 0;
    return t;
  }
  ONEFOLD_FN constexpr Tally dot_tally() const {
    return visit(dtype, [&]<class T>() {
      using A = accumulator::dot<T>;
      const int64_t* w = at(Accumulator::dot);
      Tally t{.n = static_cast<Size>(w[A::n]),
              .nan = static_cast<Size>(w[A::nan]),
              .positive_infinity = static_cast<Size>(w[A::positive_infinity]),
              .negative_infinity = static_cast<Size>(w[A::negative_infinity]),
              .invalid = static_cast<Size>(w[A::invalid])};
      if (nan == NanPolicy::omit) t.n -= t.nan;
      t.all_negative_zero = is_floating(dtype) && t.n > t.nan * (nan != NanPolicy::omit) &&
                            w[A::not_negative_zero] == 0;
      return t;
    });
  }
  // sum, sumsq, sumabs or dot.
  ONEFOLD_FN constexpr ExactSum limbs(Accumulator a) const {
    return visit(a, dtype, [&]<class A>() {
      if constexpr (requires { A::limbs; }) {
        return read_limbs(at(a), A::limbs, A::unit);
      } else {
        return ExactSum{};
      }
    });
  }
  ONEFOLD_FN constexpr Size zeros() const { return static_cast<Size>(at(Accumulator::zeros)[0]); }

  // least or greatest.
  ONEFOLD_FN constexpr Extreme extreme(Accumulator a) const {
    const int64_t* w = at(a);
    const auto index = static_cast<Size>(w[1]), nan_index = static_cast<Size>(w[2]);
    Extreme e;
    if (nan_index != none && nan != NanPolicy::omit) {
      e.nan = true;
      e.index = nan_index;
      e.value = nan == NanPolicy::raise ? Real::bad(Status::nan_found) : Real::nan();
    } else if (index == none) {
      e.empty = true;
      e.value = Real::bad(Status::empty_input);
    } else {
      e.index = index;
      e.value = visit(dtype, [&]<class T>() {
        const T x = from_order_key<T>(w[0]);
        if constexpr (Floating<T>) {
          return Real::of(x);
        } else {
          const Numeric v = numeric(x);
          return Real::integer(v.mantissa, v.negative);
        }
      });
    }
    return e;
  }
};

// Settles what a NaN settles: true and `answer` is it.
ONEFOLD_FN constexpr bool settled_by_nan(const Gathered& g, Size nan, Real& answer) {
  if (nan == 0 || g.nan == NanPolicy::omit) return false;
  answer = g.nan == NanPolicy::raise ? Real::bad(Status::nan_found) : Real::nan();
  return true;
}

// The sum of what a tally describes: NaN, an infinity, or the limbs; -0 where all are -0.
ONEFOLD_FN constexpr Real signed_sum(const Gathered& g, const Tally& t, Accumulator limbs) {
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  if (t.invalid != 0 || (t.positive_infinity != 0 && t.negative_infinity != 0)) return Real::nan();
  if (t.infinite()) return Real::infinity(t.negative_infinity != 0);
  if (t.all_negative_zero) return Real::zero(true);
  const ExactSum s = g.limbs(limbs);
  r.numerator = s.magnitude;
  r.negative = s.negative;
  r.exponent = s.unit;
  return r;
}

// A sum of what is never negative (sumsq, sumabs): any infinity makes it +inf.
ONEFOLD_FN constexpr Real positive_sum(const Gathered& g, Accumulator limbs) {
  const Tally t = g.tally();
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  if (t.infinite()) return Real::infinity();
  const ExactSum s = g.limbs(limbs);
  r.numerator = s.magnitude;
  r.exponent = s.unit;
  return r;
}

// value / n, NaN for n = 0.
ONEFOLD_FN constexpr Real divided_by(Real value, Size n) {
  if (value.kind == Real::Kind::bad) return value;
  if (n == 0) return Real::nan();
  value.denominator = Big(n);
  return value;
}

}  // namespace onefold
