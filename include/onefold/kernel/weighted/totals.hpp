// The totals that a lane holds of an answer with weights.
//
//   quick    a sum as two f64, and the sum of its terms' magnitudes, which bounds the sum's error:
//            some 9 operations of f64 for a term
//   careful  a sum as three f64, and a bound of their error (exact/quick.inl): some 20 operations
//            for each f64 of a term. A product of three elements is up to four f64. A sum of at
//            most some 159 bits is exact; then `lost` is 0
//   n        the number of elements, each as often as it counts; always exact
//   special  after an infinity, or an element whose products an f64 may not hold, nothing more is
//            added: the flag is_special makes the answer undecided
#pragma once

#include "onefold/kernel/either.hpp"
#include "onefold/kernel/quick/extreme.hpp"
#include "onefold/kernel/quick/sums.hpp"
#include "onefold/kernel/weighted/lane_words.hpp"

namespace onefold::kernel {

// Returns the bits of an element's mantissa. 64-bit integers beyond 53 bits are special.
template <class T>
constexpr int mantissa_bits() {
  if constexpr (Floating<T>) return float_format(dtype_of<T>).mantissa_bits + 1;
  return sizeof(T) < 8 ? 8 * static_cast<int>(sizeof(T)) : 53;
}

struct QuickTotal {
  enum : int { words = 3 };
  double high = -0.0, low = 0, size = 0;
  ONEFOLD_KERNEL void add(double x) {
    const auto p = two_sum<OneLane>(high, x);
    high = p.sum;
    low += p.rest;
    size += absolute(x);
  }
  // Adds the low part of a term.
  ONEFOLD_KERNEL void add_low(double x) { low += x; }
  ONEFOLD_KERNEL void add(const QuickTotal& t) {
    const auto p = two_sum<OneLane>(high, t.high);
    high = p.sum;
    low += p.rest + t.low;
    size += t.size;
  }
  template <class F>
  ONEFOLD_KERNEL void each(F f) {
    f(high);
    f(low);
    f(size);
  }
};
struct CarefulTotal {
  enum : int { words = 4 };
  Quick<OneLane> v = Quick<OneLane>::nothing();
  ONEFOLD_KERNEL void add(double x) { v.add(x); }
  ONEFOLD_KERNEL void add_low(double x) {
    const auto b = two_sum<OneLane>(v.low, x), c = two_sum<OneLane>(v.rest, b.rest);
    v.low = b.sum;
    v.rest = c.sum;
    v.lost += absolute(c.rest);
  }
};

//   careful   three f64 a sum
template <class T, uint32_t ops, bool repeated, bool careful = false>
struct WeightedTotals {
  using Number = Either<careful, CarefulTotal, QuickTotal>;
  static constexpr Terms terms = weighted_terms<ops>(repeated);
  static constexpr bool two = (ops & two_arrays) != 0;
  static constexpr int bits = mantissa_bits<T>(), weight_bits = repeated ? 53 : bits;
  // some: an element has a weight other than 0; many: at least two elements have
  enum Flag : uint32_t {
    has_nan = 1,
    is_special = 2,
    is_nonzero = 4,
    is_bad = 8,
    some = 16,
    many = 32
  };
  static constexpr bool has(Term t) { return terms.has(t); }
  static constexpr int place_of(Term t) { return terms.place_of(t); }
  static constexpr int count = terms.count();
  static constexpr uint32_t counted = repeated && !careful ? counted_set<ops>() : 0;
  using Counts = LaneWords<T, counted>;
  enum : int { words = int{Number::words} * count + int{Counts::words} + 2 };

  Number sum[count == 0 ? 1 : count];
  Size n = 0;  // number of elements, each as often as it counts
  uint32_t flags = 0;
  Counts counts;

  template <class F>
  ONEFOLD_KERNEL void each_sum(F f) {
    ONEFOLD_UNROLL
    for (int k = 0; k < count; ++k) f(sum[k]);
  }
  // Returns whether careful sums have no error.
  ONEFOLD_KERNEL bool is_exact() const {
    bool exact = (flags & is_special) == 0;
    ONEFOLD_UNROLL
    for (const Number& s : sum) exact = exact && s.v.lost == 0;
    return exact;
  }

  // Adds an element, or a pair, with its weight.
  template <class W>
  ONEFOLD_KERNEL void add(T x, T y, W weight, bool omits, Size index) {
    if constexpr (repeated) {
      if (weight == 0) return;
      if (weight >> 63 != 0) flags |= is_bad;
      if constexpr (counted != 0) counts.add(x, weight, index);
    }
    if (is_a_nan(x) || is_a_nan(y) || is_a_nan(weight)) {
      flags |= omits ? 0u : uint32_t{has_nan};
      if (!omits) add_times(weight);
      return;
    }
    add_times(weight);
    const double w = held(weight), a = held(x), b = two ? held(y) : 0.0;
    if constexpr (Floating<T>) {
      if (w == 0 || a == 0) {
        const bool turned = (bit_cast<uint64_t>(w) ^ bit_cast<uint64_t>(a)) >> 63 != 0;
        flags |= turned ? 0u : uint32_t{is_nonzero};
      } else {
        flags |= is_nonzero;
      }
    } else {
      flags |= is_nonzero;
    }
    if (w != 0) note_seen(some);
    if ((flags & is_special) != 0) return;
    if constexpr (has(Term::one)) at(Term::one).add(w);
    if constexpr (has(Term::x) || has(Term::xx) || has(Term::xy)) {
      const auto p = product<weight_bits>(w, a);
      if constexpr (has(Term::x)) add_all(at(Term::x), p);
      if constexpr (has(Term::xx)) add_product(at(Term::xx), p, a);
      if constexpr (has(Term::xy)) add_product(at(Term::xy), p, b);
    }
    if constexpr (has(Term::magnitude)) {
      add_all(at(Term::magnitude), product<weight_bits>(w, absolute(a)));
    }
    if constexpr (has(Term::y) || has(Term::yy)) {
      const auto p = product<weight_bits>(w, b);
      if constexpr (has(Term::y)) add_all(at(Term::y), p);
      if constexpr (has(Term::yy)) add_product(at(Term::yy), p, b);
    }
    if constexpr (has(Term::squared_difference) || has(Term::distance)) {
      const auto d = two_sum<OneLane>(a, -b);
      const double rest = d.rest == 0 ? 0.0 : d.rest;
      if constexpr (has(Term::squared_difference)) {
        add_product(at(Term::squared_difference), product<53>(w, d.sum), d.sum);
        if (rest != 0) {
          add_product(at(Term::squared_difference), product<53>(w, 2 * d.sum), rest);
          add_product(at(Term::squared_difference), product<53>(w, rest), rest);
        }
      }
      if constexpr (has(Term::distance)) {
        add_all(at(Term::distance), product<53>(w, absolute(d.sum)));
        if (rest != 0) add_all(at(Term::distance), product<53>(w, d.sum < 0 ? -rest : rest));
      }
    }
  }
  ONEFOLD_KERNEL void add(const WeightedTotals& t) {
    ONEFOLD_UNROLL
    for (int k = 0; k < count; ++k) sum[k].add(t.sum[k]);
    add_seen(t.n, t.flags);
    if constexpr (counted != 0) counts.add(t.counts);
  }
  ONEFOLD_KERNEL void add_seen(Size more, uint32_t seen) {
    n += more;
    note_seen(seen | (repeated && n >> 63 != 0 ? uint32_t{is_bad} : 0u));
  }
  ONEFOLD_KERNEL void note_seen(uint32_t seen) { flags |= seen | (flags & seen & some) << 1; }
  ONEFOLD_KERNEL bool is_alone() const { return (flags & (some | many)) == some; }
  // Returns the totals of another lane.
  template <class M>
  ONEFOLD_KERNEL WeightedTotals across(M m, unsigned distance) const {
    WeightedTotals t = *this;
    t.each_sum(
        [&](Number& s) { s.each([&](double& word) { word = m.shuffle_xor(word, distance); }); });
    t.counts.each([&](int64_t& word) { word = m.shuffle_xor(word, distance); });
    t.n = m.shuffle_xor(n, distance);
    t.flags = m.shuffle_xor(flags, distance);
    return t;
  }
  // Stores totals in memory, or adds stored ones.
  template <class P>
  ONEFOLD_KERNEL void store(P to) const {
    WeightedTotals t = *this;
    int k = 0;
    t.each_sum(
        [&](Number& s) { s.each([&](double& word) { to[k++] = bit_cast<int64_t>(word); }); });
    t.counts.each([&](int64_t& word) { to[k++] = word; });
    to[k] = static_cast<int64_t>(n);
    to[k + 1] = static_cast<int64_t>(flags);
  }
  template <class P>
  ONEFOLD_KERNEL void add_stored(P from) {
    WeightedTotals t;
    int k = 0;
    const auto load = [&](double& word) {
      const int64_t v = from[k++];
      word = bit_cast<double>(v);
    };
    t.each_sum([&](Number& s) { s.each(load); });
    t.counts.each([&](int64_t& word) {
      const int64_t v = from[k++];
      word = v;
    });
    const int64_t more = from[k], seen = from[k + 1];
    t.n = static_cast<Size>(more);
    t.flags = static_cast<uint32_t>(seen);
    add(t);
  }

 private:
  // Counts an element, or `weight` copies of it; 2^63 copies or more are an error (is_bad).
  template <class W>
  ONEFOLD_KERNEL void add_times(W weight) {
    if constexpr (repeated) {
      add_seen(weight, 0);
    } else {
      ++n;
    }
  }
  ONEFOLD_KERNEL Number& at(Term t) { return sum[place_of(t)]; }
  // Returns an element as an f64. Sets is_special if it lies outside of 2^-290 to 2^290, for which
  // f64 hold products of three elements and the rounding errors of these.
  template <class V>
  ONEFOLD_KERNEL double held(V v) {
    if constexpr (sizeof(V) == 8 && !Floating<V>) {
      const auto whole = static_cast<double>(v);
      if (!(absolute(whole) <= 0x1p53)) flags |= is_special;
      return whole;
    } else {
      const double d = f64_of(v);
      const double size = absolute(d);
      const bool tame = sizeof(V) == 8 ? (size < 0x1p290 && size > 0x1p-290) || d == 0
                                       : size < OneLane::infinity();
      if (Floating<V> && !tame) flags |= is_special;
      return d;
    }
  }

  // The product w a = high + low, exactly. If it has at most 53 bits, low is 0.
  template <int exact>
  struct Product {
    double high, low;
  };
  //   left   number of bits of w
  template <int left>
  ONEFOLD_KERNEL static auto product(double w, double a) {
    constexpr int all = left + bits;
    const double p = w * a;
    return Product<all>{p, all <= 53 ? 0.0 : fused(w, a, -p)};
  }
  template <int all>
  ONEFOLD_KERNEL static void add_all(Number& to, const Product<all>& p) {
    to.add(p.high);
    if constexpr (all > 53) to.add_low(p.low);
  }
  // Adds p a.
  template <int all>
  ONEFOLD_KERNEL static void add_product(Number& to, const Product<all>& p, double a) {
    constexpr int most = all + bits;
    const double high = p.high * a;
    to.add(high);
    if constexpr (most > 53) to.add_low(fused(p.high, a, -high));
    if constexpr (all > 53) {
      const double low = p.low * a;
      to.add_low(low);
      to.add_low(fused(p.low, a, -low));
    }
  }
};

}  // namespace onefold::kernel
