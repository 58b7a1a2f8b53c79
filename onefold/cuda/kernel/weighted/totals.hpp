// The totals that a lane holds of an answer with weights.
//
//   sums     of terms times w, of one f64 or two; and of some terms' magnitudes, which bound the
//            errors of all sums
//   origin   statistics of deviations do not depend on where 0 is: floats of up to 32 bits are
//            taken from the answer's first element
//   careful  three f64 a sum, which hold every f64 of a term; `lost` is 0 if a sum is exact
//   n        the number of elements, each as often as it counts; with weights, of those whose
//            weight is not 0. Always exact
//   special  an element that an f64 does not hold, or (careful) with products that f64 may not
//            hold: the flag is_special makes the answer undecided
#pragma once

#include "onefold/cuda/kernel/either.hpp"
#include "onefold/cuda/kernel/quick/extreme.hpp"
#include "onefold/cuda/kernel/weighted/lane_words.hpp"
#include "onefold/cuda/kernel/weighted/terms.hpp"

namespace onefold::kernel {

// Whether all ops of a set answer with deviations from a mean, or with the mean: not with powers of
// the elements themselves.
template <OpSet ops>
constexpr bool are_of_deviations(bool repeated) {
  bool all = true;
  each_op<ops>([&]<class Op>() {
    constexpr Statistic counts = weighted_formula<Op>(true).of,
                        weighs = weighted_formula<Op>(false).of;
    const Statistic of = repeated ? counts : weighs;
    all = all && (of == Statistic::nothing || of == total_of(Term::x) ||
                  !(is_total(of) || is_raw_moment(of)));
  });
  return all;
}

//   wide      sums of two f64 also for floats of up to 32 bits, for answers of any type, which is
//             known only when the kernel runs
//   careful   three f64 a sum
template <class T, OpSet ops, bool repeated, bool wide = false, bool careful = false>
struct WeightedTotals {
  using Fraction = Either<Floating<T>, T, double>;
  static constexpr bool repeats = repeated, any_result = wide, sums_integers = !Floating<T>;
  static constexpr Terms terms = weighted_terms<ops>(repeated);
  static constexpr Terms sizes = careful ? Terms() : sizes_of(terms, repeated&& sums_integers);
  static constexpr bool two = (ops & two_arrays) != 0;
  static constexpr int words_of_sum = careful ? 3 : Floating<T> && sizeof(T) < 8 && !wide ? 1 : 2;
  static constexpr bool shifts = words_of_sum == 1 && are_of_deviations<ops>(repeated);
  using Number = Either<careful, CarefulTotal, FloatSum<words_of_sum>>;
  // there         at least one element counts
  // is_x, is_y    some x (or x - y, if the terms are of differences) is not 0; some y is not 0
  // some, many    at least one element is repeated; at least two are
  enum Flag : uint32_t {
    has_nan = 1,
    is_special = 2,
    is_nonzero = 4,
    is_bad = 8,
    some = 16,
    many = 32,
    is_x = 64,
    is_y = 128,
    there = 256
  };
  // Returns the flag that tells whether a term's sum of 0 is true: without the flag all elements
  // are 0; with it, products of f64 may have become too small for an f64.
  template <Term t>
  static constexpr uint32_t values_of() {
    if (sizeof(T) < 8 || !Floating<T> || t == Term::one) return 0;
    return t == Term::yy ? is_y : is_x;
  }
  static constexpr bool has(Term t) { return terms.has(t); }
  static constexpr bool moments = terms.has(Term::xxx) || terms.has(Term::xxxx);
  static constexpr bool has_size(Term t) { return sizes.has(t); }
  static constexpr int place_of(Term t) { return terms.place_of(t); }
  static constexpr int size_place_of(Term t) { return sizes.place_of(t); }
  static constexpr int count = terms.count(), size_count = sizes.count();
  static constexpr uint32_t counted = repeated && !careful ? counted_set<ops>() : 0;
  using Counts = LaneWords<T, counted>;
  enum : int { words = words_of_sum * count + size_count + int{Counts::words} + 2 };

  Number sum[count == 0 ? 1 : count];
  double size[size_count == 0 ? 1 : size_count] = {};
  Size n = 0;
  uint32_t flags = 0;
  Counts counts;

  ONEFOLD_KERNEL const Number& at(Term t) const { return sum[place_of(t)]; }
  ONEFOLD_KERNEL double size_of(Term t) const { return size[size_place_of(t)]; }
  // Returns whether careful sums have no error.
  ONEFOLD_KERNEL bool is_exact() const {
    bool exact = (flags & is_special) == 0;
    ONEFOLD_UNROLL
    for (const Number& s : sum) exact = exact && s.v.lost == 0;
    return exact;
  }

  // Adds an element, or a pair, with its weight.
  //   x0, y0   where 0 is, if the totals shift
  template <class W>
  ONEFOLD_KERNEL void add(T x, T y, W weight, bool omits, Size index, double x0, double y0) {
    if constexpr (repeated) {
      if (weight == 0) return;
      if (weight >> 63 != 0) flags |= is_bad;
      if constexpr (counted != 0) counts.add(x, weight, index);
    }
    // A sum of one f64 becomes NaN by itself, so it needs no test.
    if ((words_of_sum != 1 || omits) && (is_a_nan(x) || is_a_nan(y) || is_a_nan(weight))) {
      flags |= omits ? 0u : uint32_t{has_nan} | uint32_t{there};
      if constexpr (repeated) add_seen(omits ? 0 : weight, 0);
      return;
    }
    flags |= there;
    const double w = held(weight), a = held(x) - (shifts ? x0 : 0.0),
                 b = two ? held(y) - (shifts ? y0 : 0.0) : 0.0;
    note_signs(w, held(x));
    if constexpr (repeated) {
      add_seen(weight, some);
    } else {
      n += w != 0 ? 1 : 0;
    }
    const ElementFactors element(a, b);
    if constexpr (sizeof(T) == 8 && Floating<T>) {
      constexpr bool differs = terms.has(Term::squared_difference) || terms.has(Term::distance);
      if ((differs ? element.difference.high : a) != 0) flags |= is_x;
      if (b != 0) flags |= is_y;
    }
    if (careful && (flags & is_special) != 0) return;
    each_term<terms>([&]<Term t>() {
      constexpr Factors f = factors_of(t);
      add_term<f>(sum[place_of(t)], w, element);
    });
    each_term<sizes>([&]<Term t>() {
      constexpr Factors f = factors_of(t);
      double& to = size[size_place_of(t)];
      const double u = element.value<f.a>().high, v = element.value<f.b>().high;
      if constexpr (t == Term::one) {
        to += absolute(w);
      } else {
        to = fused(absolute(w * u), absolute(v), to);
      }
    });
  }
  ONEFOLD_KERNEL void add(const WeightedTotals& t) {
    ONEFOLD_UNROLL
    for (int k = 0; k < count; ++k) sum[k].add(t.sum[k]);
    ONEFOLD_UNROLL
    for (int k = 0; k < size_count; ++k) size[k] += t.size[k];
    add_seen(t.n, t.flags);
    if constexpr (counted != 0) counts.add(t.counts);
  }
  // Counts elements; 2^63 copies or more are an error (is_bad).
  ONEFOLD_KERNEL void add_seen(Size more, uint32_t seen) {
    n += more;
    const uint32_t again = repeated ? (flags & seen & some) << 1 : 0u;
    flags |= seen | again | (repeated && n >> 63 != 0 ? uint32_t{is_bad} : 0u);
  }
  ONEFOLD_KERNEL bool is_alone() const {
    return repeated ? (flags & (some | many)) == some : n == 1;
  }
  ONEFOLD_KERNEL bool is_empty() const { return repeated ? n == 0 : (flags & there) == 0; }
  // Calls f(word) for each word; f may change it.
  template <class F>
  ONEFOLD_KERNEL void each(F f) {
    ONEFOLD_UNROLL
    for (int k = 0; k < count; ++k) sum[k].zip(sum[k], [&](double& word, double) { f(word); });
    ONEFOLD_UNROLL
    for (int k = 0; k < size_count; ++k) f(size[k]);
    counts.each(f);
    f(n);
    f(flags);
  }
  // Returns the totals of another lane.
  template <class M>
  ONEFOLD_KERNEL WeightedTotals across(M m, unsigned distance) const {
    WeightedTotals t = *this;
    t.each([&](auto& word) { word = m.shuffle_xor(word, distance); });
    return t;
  }
  // Stores totals in memory, or loads them; each word takes 64 bits.
  template <class P>
  ONEFOLD_KERNEL void store(P to) const {
    WeightedTotals t = *this;
    int k = 0;
    t.each([&](auto& word) { to[k++] = word_of(word); });
  }
  template <class P>
  ONEFOLD_KERNEL static WeightedTotals load(P from) {
    WeightedTotals t;
    int k = 0;
    t.each([&](auto& word) {
      const int64_t v = from[k++];
      of_word(v, word);
    });
    return t;
  }

 private:
  // Notes whether the product w x is not -0.
  ONEFOLD_KERNEL void note_signs(double w, double x) {
    if constexpr (has(Term::x)) {
      const bool turned = (bit_cast<uint64_t>(w) ^ bit_cast<uint64_t>(x)) >> 63 != 0;
      if (!Floating<T> || !turned || (w != 0 && x != 0)) flags |= is_nonzero;
    }
  }
  // Returns an element as an f64. Careful totals need products of three elements (moments: five)
  // and their rounding errors, which are f64 if elements lie between 2^-290 and 2^290 (2^-160 and
  // 2^160).
  template <class V>
  ONEFOLD_KERNEL double held(V v) {
    if constexpr (sizeof(V) == 8 && !Floating<V>) {
      const auto whole = static_cast<double>(v);
      if (!(absolute(whole) <= 0x1p53)) flags |= is_special;
      return whole;
    } else {
      const double d = f64_of(v), size = absolute(d);
      if constexpr (careful && Floating<V>) {
        constexpr double most = moments ? 0x1p160 : 0x1p290;
        const bool tame = sizeof(V) == 8 ? (size < most && size > 1 / most) || d == 0
                                         : size < OneLane::infinity();
        if (!tame) flags |= is_special;
      }
      return d;
    }
  }
};

}  // namespace onefold::kernel
