// The sum that a lane holds for one answer.
//
//   floats    `words` f64. Tracked: an addition's rounding error goes to the next word (TwoSum),
//             that of the last word to a bound, `lost`. Not tracked: terms are just added to the
//             last word, and the bound is known beforehand (`relative_bound`)
//   integers  64 or 128 bits
#pragma once

#include "onefold/core/exact/quick.hpp"
#include "onefold/core/numeric.hpp"
#include "onefold/core/term.hpp"
#include "onefold/cuda/kernel/number/packed.hpp"
#include "onefold/cuda/kernel/number/scalar.hpp"

namespace onefold::kernel {

// A difference x - y = high + low, exactly; for types of up to 32 bits only high, rounded.
struct Difference {
  double high, low = 0;
};

template <int words>
struct FloatSum {
  double high = -0.0;  // since only a sum of -0 alone is -0
  double low = 0;
  double lost = 0;  // if it is tracked

  template <bool tracked = false>
  ONEFOLD_KERNEL void add(double x) {
    if constexpr (words == 1 && !tracked) {
      high += x;
    } else {
      const auto p = two_sum<OneLane>(high, x);
      high = p.sum;
      add_low<tracked>(p.rest);
    }
  }
  template <bool tracked = false>
  ONEFOLD_KERNEL void add_low(double x) {
    if constexpr (words == 1) {
      lost += absolute(x);
    } else if constexpr (tracked) {
      const auto q = two_sum<OneLane>(low, x);
      low = q.sum;
      lost += absolute(q.rest);
    } else {
      low += x;
    }
  }
  // Adds x^2, which one f64 holds exactly if the sum has one word. Not tracked.
  ONEFOLD_KERNEL void add_square(double x) {
    if constexpr (words == 1) {
      high = fused(x, x, high);
    } else {
      const double p = x * x;
      add(p);
      low += fused(x, x, -p);
    }
  }
  // Adds the square of a difference; low^2 is below 2^-106 of it.
  ONEFOLD_KERNEL void add_square_of(const Difference& d) {
    add_square(d.high);
    if constexpr (words == 2) low = fused(2 * d.high, d.low, low);
  }
  ONEFOLD_KERNEL void add_magnitude(const Difference& d) {
    add(absolute(d.high));
    if constexpr (words == 2) add_low(d.high < 0 ? -d.low : d.low);
  }
  // Adds x y as two words; bits below the smallest f64 are lost.
  template <bool tracked>
  ONEFOLD_KERNEL void add_product(double x, double y) {
    const double p = x * y;
    add<tracked>(p);
    add_low<tracked>(fused(x, y, -p));
    if constexpr (tracked) {
      // This compares integers, since products already wait for the f64 unit.
      const bool small = (bit_cast<uint64_t>(p) << 1) < bit_cast<uint64_t>(0x1p-960) << 1;
      const bool none = bit_cast<uint64_t>(x) << 1 == 0 || bit_cast<uint64_t>(y) << 1 == 0;
      if (small && !none) lost += 0x1p-1074;
    }
  }
  template <bool tracked = false>
  ONEFOLD_KERNEL void add(const FloatSum& s) {
    add<tracked>(s.high);
    if constexpr (words == 2) add_low<tracked>(s.low);
    if constexpr (tracked) lost += s.lost;
  }
  template <bool tracked = false, class F>
  ONEFOLD_KERNEL void zip(const FloatSum& o, F f) {
    f(high, o.high);
    if constexpr (words == 2) f(low, o.low);
    if constexpr (tracked) f(lost, o.lost);
  }
};

template <class T>
ONEFOLD_KERNEL Difference difference_of(T x, T y) {
  if constexpr (sizeof(T) < 8) return {f64_of(x) - f64_of(y)};
  const auto d = two_sum<OneLane>(f64_of(x), -f64_of(y));
  return {d.sum, d.rest};
}
// Returns a product as f64; only products of f64 are inexact. A product of f16 is an f32 of 22
// bits, 2^-48 to 2^32: this saves a conversion to f64, as slow as four additions.
template <class T>
ONEFOLD_KERNEL double product_of(T x, T y) {
  if constexpr (dtype_of<T> == DType::f16) {
    return static_cast<double>(f32_of(x) * f32_of(y));
  } else {
    return f64_of(x) * f64_of(y);
  }
}

// Calls f<term>() for each term of a set.
template <Terms terms, int k = 0, class F>
ONEFOLD_KERNEL void each_term(F f) {
  if constexpr (k < term_count) {
    if constexpr (terms.has(Term{k})) f.template operator()<Term{k}>();
    each_term<terms, k + 1>(f);
  }
}
// Returns the value of a factor: 1, x, y or x^2.
template <Factor f, class N>
ONEFOLD_KERNEL N value_of(const N& x, const N& y, const N& square) {
  static_assert(f == Factor::one || f == Factor::x || f == Factor::y || f == Factor::square,
                "other factors have functions of their own");
  return f == Factor::x ? x : f == Factor::y ? y : f == Factor::square ? square : N{1};
}
// The sums of several terms, as f64.
//   tracked   the terms whose sums track their errors; `relative_bound` bounds those of the others
template <Terms set, int words, Terms tracked = Terms{}>
struct TermSums {
  static constexpr Terms terms = set;
  static constexpr int count = terms.count();
  FloatSum<words> sum[count];

  ONEFOLD_KERNEL FloatSum<words>& at(Term t) { return sum[terms.place_of(t)]; }
  ONEFOLD_KERNEL const FloatSum<words>& at(Term t) const { return sum[terms.place_of(t)]; }
  // Adds those of the terms that are in `which`. For a single array, v is not read.
  template <Terms which, class T>
  ONEFOLD_KERNEL void add(T u, T v) {
    const double x = f64_of(u), y = f64_of(v), square = x * x,
                 rest = words == 1 ? 0 : fused(x, x, -square);
    each_term<which>([&]<Term t>() {
      constexpr Factors f = factors_of(t);
      constexpr bool of_square = f.b == Factor::square, tracks = tracked.has(t);
      FloatSum<words>& to = at(t);
      if constexpr (t == Term::squared_difference) {
        to.add_square_of(difference_of(u, v));
      } else if constexpr (t == Term::distance) {
        to.add_magnitude(difference_of(u, v));
      } else if constexpr (t == Term::magnitude) {
        to.template add<tracks>(absolute(x));
      } else {
        const double a = value_of<f.a>(x, y, square), b = value_of<f.b>(x, y, square);
        if constexpr (!f.is_product()) {
          to.template add<tracks>(a);
        } else if constexpr (words == 1 && tracks) {
          static_assert(t == Term::xy);
          to.template add<true>(product_of(u, v));
        } else if constexpr (words == 1) {
          to.high = fused(a, b, to.high);
        } else if constexpr (f.a == f.b && !of_square) {
          to.add_square(a);
        } else {
          to.template add_product<tracks>(a, b);
          // An f64 does not hold x^2.
          if constexpr (of_square) to.low = fused(f.a == Factor::x ? x : 2 * square, rest, to.low);
        }
      }
    });
  }
  ONEFOLD_KERNEL void add(const TermSums& s) {
    each_term<terms>([&]<Term t>() { at(t).template add<tracked.has(t)>(s.at(t)); });
  }
  template <class F>
  ONEFOLD_KERNEL void zip(const TermSums& o, F f) {
    each_term<terms>([&]<Term t>() { at(t).template zip<tracked.has(t)>(o.at(t), f); });
  }
};

// Bounds the errors of sums that are not tracked, after chains of `depth` additions, relative to
// the sum of their terms' magnitudes. With two words, the factor of one is squared. Six more levels
// cover what a term itself errs by: two roundings of a difference, three of its square.
template <int words>
ONEFOLD_KERNEL double relative_bound(double depth) {
  const double e = (depth + 6) * (words == 1 ? 0x1.08p-53 : 0x1.08p-52);
  return words == 1 ? e : e * e;
}

// Sums of integers, in 64 or 128 bits.
template <bool wide>
using WholeOf = Either<wide, Int128, int64_t>;
// Calls f(word, other word) for the words of two integers of 64 or 128 bits.
template <class V, class F>
ONEFOLD_KERNEL void zip_whole(V& v, V other, F f) {
  if constexpr (sizeof(V) > 8) {
    const auto half = [](V of, int shift) {
      return static_cast<int64_t>(static_cast<uint64_t>(of >> shift));
    };
    int64_t low = half(v, 0), high = half(v, 64);
    f(low, half(other, 0));
    f(high, half(other, 64));
    v = static_cast<V>(static_cast<Uint128>(static_cast<uint64_t>(high)) << 64 |
                       static_cast<uint64_t>(low));
  } else {
    f(v, other);
  }
}
// The sums of several terms of integers, which are exact.
template <Terms set, bool wide>
struct WholeSums {
  static constexpr Terms terms = set;
  using V = WholeOf<wide>;
  V sum[terms.count()] = {};

  ONEFOLD_KERNEL V& at(Term t) { return sum[terms.place_of(t)]; }
  ONEFOLD_KERNEL V at(Term t) const { return sum[terms.place_of(t)]; }
  // For a single array, y is not read.
  ONEFOLD_KERNEL void add(const Numeric& x, const Numeric& y) {
    const auto put = [&](Term t, bool negative, V magnitude) {
      at(t) += negative ? -magnitude : magnitude;
    };
    each_term<terms>([&]<Term t>() {
      if constexpr (t == Term::x) put(t, x.negative, static_cast<V>(x.mantissa));
      if constexpr (t == Term::magnitude) put(t, false, static_cast<V>(x.mantissa));
      if constexpr (t == Term::xx) put(t, false, static_cast<V>(x.mantissa * x.mantissa));
      if constexpr (t == Term::xy) {
        put(t, x.negative != y.negative, static_cast<V>(x.mantissa * y.mantissa));
      }
    });
  }
  ONEFOLD_KERNEL void add(const WholeSums& s) {
    each_term<terms>([&]<Term t>() { at(t) += s.at(t); });
  }
  template <class F>
  ONEFOLD_KERNEL void zip(const WholeSums& o, F f) {
    each_term<terms>([&]<Term t>() { zip_whole(at(t), o.at(t), f); });
  }
};

// A total that an answer does not need.
struct NoTotal {
  ONEFOLD_KERNEL void add(const NoTotal&) {}
  template <class F>
  ONEFOLD_KERNEL void zip(const NoTotal&, F) {}
};
template <bool is, class A>
using If = Either<is, A, NoTotal>;

struct LaneCount {
  uint32_t n = 0;
  ONEFOLD_KERNEL void add(const LaneCount& c) { n += c.n; }
  template <class F>
  ONEFOLD_KERNEL void zip(const LaneCount& o, F f) {
    f(n, o.n);
  }
};

// A total's word in memory has 64 bits.
ONEFOLD_KERNEL int64_t word_of(double v) { return bit_cast<int64_t>(v); }
template <class I>
ONEFOLD_KERNEL int64_t word_of(I v) {
  return static_cast<int64_t>(v);
}
ONEFOLD_KERNEL void of_word(int64_t v, double& to) { to = bit_cast<double>(v); }
template <class I>
ONEFOLD_KERNEL void of_word(int64_t v, I& to) {
  to = static_cast<I>(v);
}

}  // namespace onefold::kernel
