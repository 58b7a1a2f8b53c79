// The sum that a lane holds for one answer.
//
//   floats    `words` f64. Tracked: an addition's rounding error goes to the next word (TwoSum),
//             that of the last word to a bound. Not tracked: terms are just added to the last
//             word, and the bound is known beforehand (`bound_of`)
//   integers  64 or 128 bits
#pragma once

#include "onefold/exact/quick.hpp"
#include "onefold/kernel/number/packed.hpp"
#include "onefold/kernel/number/scalar.hpp"
#include "onefold/term.hpp"

namespace onefold::kernel {

// A difference x - y = high + low, exactly; for types of up to 32 bits only high, rounded.
struct Difference {
  double high, low = 0;
};

template <int words, bool tracked>
struct FloatSum {
  double high = -0.0;  // since only a sum of -0 alone is -0
  double low = 0;
  double lost = 0;

  ONEFOLD_KERNEL void add(double x) {
    if constexpr (words == 1 && !tracked) {
      high += x;
    } else {
      const auto p = two_sum<OneLane>(high, x);
      high = p.sum;
      add_low(p.rest);
    }
  }
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
  // Adds x^2, which one f64 holds exactly if the sum has one word.
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
  ONEFOLD_KERNEL void add_product(double x, double y) {
    const double p = x * y;
    add(p);
    add_low(fused(x, y, -p));
    // This compares integers, since products already wait for the f64 unit.
    const bool small = (bit_cast<uint64_t>(p) << 1) < bit_cast<uint64_t>(0x1p-960) << 1;
    const bool none = bit_cast<uint64_t>(x) << 1 == 0 || bit_cast<uint64_t>(y) << 1 == 0;
    if (small && !none) lost += 0x1p-1074;
  }
  ONEFOLD_KERNEL void add(const FloatSum& s) {
    add(s.high);
    if constexpr (words == 2) add_low(s.low);
    if constexpr (tracked) lost += s.lost;
  }
  template <class F>
  ONEFOLD_KERNEL void zip(const FloatSum& o, F f) {
    f(high, o.high);
    if constexpr (words == 2) f(low, o.low);
    if constexpr (tracked) f(lost, o.lost);
  }
};

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
                "sums of terms have no other factor yet");
  return f == Factor::x ? x : f == Factor::y ? y : f == Factor::square ? square : N{1};
}
// The sums of several terms. Their errors are not tracked; `Bound` bounds them.
template <Terms set, int words>
struct TermSums {
  static constexpr Terms terms = set;
  static constexpr int count = terms.count();
  FloatSum<words, false> sum[count];

  ONEFOLD_KERNEL const FloatSum<words, false>& at(Term t) const { return sum[terms.place_of(t)]; }
  // Adds the terms of elements x and y. If sums have one word, an f64 holds x^2 exactly.
  ONEFOLD_KERNEL void add(double x, double y) {
    const double square = x * x, rest = words == 1 ? 0 : fused(x, x, -square);
    each_term<terms>([&]<Term t>() {
      constexpr Factors f = factors_of(t);
      constexpr bool of_square = f.b == Factor::square;
      auto& to = sum[terms.place_of(t)];
      const double a = value_of<f.a>(x, y, square), b = value_of<f.b>(x, y, square);
      if constexpr (!f.is_product()) {
        to.add(a);
      } else if constexpr (words == 1) {
        to.high = fused(a, b, to.high);
      } else {
        if constexpr (f.a == f.b && !of_square) {
          to.add_square(a);
        } else {
          to.add_product(a, b);
        }
        if constexpr (of_square) to.low = fused(f.a == Factor::x ? x : 2 * square, rest, to.low);
      }
    });
  }
  ONEFOLD_KERNEL void add(const TermSums& s) {
    ONEFOLD_UNROLL
    for (int k = 0; k < count; ++k) sum[k].add(s.sum[k]);
  }
  template <class F>
  ONEFOLD_KERNEL void zip(const TermSums& o, F f) {
    ONEFOLD_UNROLL
    for (int k = 0; k < count; ++k) sum[k].zip(o.sum[k], f);
  }
};

// Bounds the errors of sums that are not tracked, after chains of `depth` additions, for n elements
// whose squares sum to Q. A sum of squares is wrong by at most depth 2^-53 Q, a sum of elements by
// depth 2^-53 times the sum of magnitudes, which is at most sqrt(n Q). With two words, the factor
// is twice its square. Squares of f64 may underflow. Four more levels cover sums of differences:
// two roundings of a difference, and three of its square.
struct Bound {
  double relative;      // times Q, or times sqrt(n Q)
  double squares, sum;  // for sums of two words
};
template <int words>
ONEFOLD_KERNEL Bound bound_of(double squares, double n, double depth) {
  const double e = (depth + 2) * (words == 1 ? 0x1.08p-53 : 0x1.08p-52);
  if constexpr (words == 1) return {e, 0, 0};
  return {e * e, e * e * squares + 0x1p-1040, e * e * square_root(n * squares) * 1.0625};
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
template <bool wide>
struct WholeSum {
  using V = WholeOf<wide>;
  V v = 0;

  ONEFOLD_KERNEL void add(const WholeSum& s) { v += s.v; }
  template <class F>
  ONEFOLD_KERNEL void zip(const WholeSum& o, F f) {
    zip_whole(v, o.v, f);
  }
};

// Returns an element as an f64, exactly.
template <class T>
ONEFOLD_KERNEL double f64_of(T x) {
  if constexpr (dtype_of<T> == DType::bf16) {
    return static_cast<double>(bit_cast<float>(static_cast<uint32_t>(x.bits) << 16));
  } else if constexpr (dtype_of<T> == DType::f16) {
    return static_cast<double>(f32_of(x));
  } else if constexpr (dtype_of<T> == DType::boolean) {
    return x.byte != 0 ? 1 : 0;
  } else {
    return static_cast<double>(x);
  }
}

template <class Pair>
ONEFOLD_KERNEL Difference difference_of(const Pair& of) {
  const double x = f64_of(of.x), y = f64_of(of.y);
  if constexpr (sizeof(of.x) < 8) return {x - y};
  const auto d = two_sum<OneLane>(x, -y);
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

// A total that an answer does not need.
struct NoTotal {
  ONEFOLD_KERNEL void add(const NoTotal&) {}
  template <class F>
  ONEFOLD_KERNEL void zip(const NoTotal&, F) {}
};
template <bool is, class A>
using If = Either<is, A, NoTotal>;

template <class T, bool floating, bool pairs>
struct SumOf {  // for f64 elements two words
  static constexpr int words = sizeof(T) == 8 ? 2 : 1;
  template <bool tracked>
  using type = FloatSum<words, tracked>;
};
template <class T, bool pairs>
struct SumOf<T, false, pairs> {
  template <bool>
  using type = WholeSum<(sizeof(T) >= (pairs ? 4 : 8))>;
};

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
