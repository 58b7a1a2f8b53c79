// The view that an op's `finish` gets: the canonical words of its accumulators, read as numbers. A
// processor uses this view; a device uses that of kernel/answer/gathered.hpp.
#pragma once

#include "onefold/core/accumulator.hpp"
#include "onefold/core/correction.hpp"
#include "onefold/core/exact/spread.hpp"
#include "onefold/core/recipe.hpp"
#include "onefold/core/sum_rules.hpp"

namespace onefold {

// A sum as an exact number: (-1)^negative * magnitude.
struct SignedMagnitude {
  Leading magnitude;
  bool negative = false;
};

// The least or greatest element: NaN, a value with its index, or nothing.
struct Extreme {
  bool empty = false;
  bool nan = false;
  Real value;
  Size index = none;
  // Returns whether the answer is a status instead of a value. Needs no value.
  ONEFOLD_FN constexpr bool is_bad(NanPolicy policy) const {
    return empty || (nan && policy == NanPolicy::raise);
  }
};

// Reads an extreme's words: if NaN decides the answer, the value is missing.
ONEFOLD_FN constexpr Extreme extreme_of(Size index, Size nan_index, NanPolicy nan) {
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
  }
  return e;
}
template <class T>
ONEFOLD_FN constexpr Real real_of_key(int64_t key) {
  const T x = from_order_key<T>(key);
  if constexpr (Floating<T>) {
    return Real::of(x);
  } else {
    const Numeric v = numeric(x);
    return Real::integer(v.mantissa, v.negative);
  }
}

// Reads the greatest difference from its words.
template <class T>
ONEFOLD_FN constexpr Real real_of_difference(int64_t high, int64_t low) {
  if constexpr (!Floating<T>) {
    return Real::integer(static_cast<uint64_t>(high));
  } else {
    Real r = Real::of(bit_cast<double>(high));
    if (r.kind != Real::Kind::finite) return r;
    const Real rest = Real::of(bit_cast<double>(low));
    r.numerator = combine(r.numerator, rest.numerator, rest.negative);
    return r;
  }
}

// Counts of pairs. n counts those that count under the NaN policy. The others count pairs without a
// NaN: those with an infinity, those with an infinity in the second array, and those with two
// infinities of one sign.
struct PairTally {
  Size n = 0, nan = 0, infinite = 0, right_infinite = 0, same_infinity = 0;
};
// Reads these counts from the words of the accumulator `pairs`.
ONEFOLD_FN constexpr PairTally pair_tally_of(const auto& w, NanPolicy nan) {
  using A = accumulator::pairs<double>;
  const auto word = [&](int k) { return static_cast<Size>(static_cast<int64_t>(w[k])); };
  PairTally t{.n = word(A::n),
              .nan = word(A::nan),
              .infinite = word(A::infinite),
              .right_infinite = word(A::right_infinite),
              .same_infinity = word(A::same_infinity)};
  if (nan == NanPolicy::omit) t.n -= t.nan;
  return t;
}

#if !defined(__CUDACC_RTC__)
struct Gathered {
  DType dtype = DType::f64;
  NanPolicy nan = NanPolicy::propagate;
  Correction correction;
  const int64_t* words[every_accumulator] = {};  // null: an accumulator that the op does not need

  constexpr const int64_t* at(Accumulator a) const { return words[static_cast<int>(a)]; }

  constexpr Tally tally() const {
    const int64_t* w = at(Accumulator::tally);
    return is_floating(dtype) ? tally_of<accumulator::tally<double>>(w, nan)
                              : tally_of<accumulator::tally<int64_t>>(w, nan);
  }
  constexpr Tally dot_tally() const {
    return visit(
        dtype, [&]<class T>() { return tally_of<accumulator::dot<T>>(at(Accumulator::dot), nan); });
  }
  // Returns the exact sum that accumulator `a` holds: sum, sumsq, sumabs or dot. For numbers that
  // were read from text, the sum is that of their decimals.
  constexpr SignedMagnitude limbs(Accumulator a) const {
    if (a == Accumulator::sum && at(Accumulator::decimal) != nullptr) return sum_of_decimals();
    int unit = 0;
    const Digits<const int64_t*> d = digits(a, unit);
    return {leading(d, unit), d.negative};
  }
  // Returns factor (n Q - S^2), for a factor below 2^30.
  constexpr Leading spread(uint32_t factor) const {
    int unit = 0;
    const auto s = digits(Accumulator::sum, unit), q = digits(Accumulator::sumsq, unit);
    const Size n = tally().n;
    uint32_t work[144] = {};  // f64 needs 69 digits for S, 138 for S^2; 3 are added
    return carry_columns([&](int k) { return spread_column(s, q, n, k).value(); },
                         spread_columns(s, q), factor, unit, work);
  }
  // For ops of two arrays (onefold/engine/plan/statistics.cpp). The functions return Qx + Qy - 2P,
  // factor (n P - Sx Sy), factor (n Qx - Sx^2 + n Qy - Sy^2), and answers if there is at least one
  // pair and all are finite.
  constexpr PairTally pair_tally() const { return pair_tally_of(at(Accumulator::pairs), nan); }
  template <class A>
  constexpr Digits<const int64_t*> digits(Accumulator a) const {
    return find_digits(at(a), A::limbs);
  }
  Leading squared_difference() const;
  SignedMagnitude common_spread(uint32_t factor) const;
  Leading total_spread(uint32_t factor) const;
  Real greatest_difference() const;
  template <Statistic is>
  Real statistic() const;
  // Returns the count of an accumulator that only counts; it is the first word.
  constexpr Size counted(Accumulator a) const { return static_cast<Size>(at(a)[0]); }

  // Returns the extreme that accumulator `a` holds: the least or the greatest element.
  constexpr Extreme extreme(Accumulator a) const {
    const int64_t* w = at(a);
    Extreme e = extreme_of(static_cast<Size>(w[1]), static_cast<Size>(w[2]), nan);
    if (!e.nan && !e.empty) {
      e.value = visit(dtype, [&]<class T>() { return real_of_key<T>(w[0]); });
    }
    return e;
  }

 private:
  SignedMagnitude sum_of_decimals() const;
  constexpr Digits<const int64_t*> digits(Accumulator a, int& unit) const {
    return visit(a, dtype, [&]<class A>() {
      if constexpr (requires { A::limbs; }) {
        unit = A::unit;
        return find_digits(at(a), A::limbs);
      } else {
        return Digits<const int64_t*>{};
      }
    });
  }
};
#endif

// Returns a sum of terms that are never negative (sumsq, sumabs). One infinity makes it +inf.
template <class G>
ONEFOLD_FN constexpr RealOf<G> positive_sum(const G& g, Accumulator limbs) {
  using Real = RealOf<G>;
  const Tally t = g.tally();
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  if (t.infinite()) return Real::infinity();
  r.numerator = g.limbs(limbs).magnitude;
  return r;
}

}  // namespace onefold
