// Panels of f64 in three words, whose error is at most `lost` for any exponents. Also decides the
// answers that follow from infinities and NaN.
#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel/terms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/panel/careful.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace panel_careful_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/vocabulary.inl"

#include "onefold/cpu/exact/window.inl"

#include "onefold/cpu/panel/lanes.inl"

#include "onefold/cpu/panel/moments.inl"

// Totals of terms in three words each. A lane holds one answer or a part of one.
template <PanelTerms terms>
struct Careful {
  static constexpr uint32_t used = [] {
    uint32_t u = 0;
    for (int k = 0; k < terms.count; ++k) u |= 15u << terms.term[k].to;
    return u;
  }();
  QuickV q[terms.count];

  HWY_INLINE HWY_ATTR void open() {
    for (QuickV& v : q) v = QuickV::of(hn::Zero(d64));
    q[0].high = hn::Set(d64, terms.empty);
  }
  HWY_INLINE HWY_ATTR void take(const Pair& e) {
    take_all(e, std::make_index_sequence<terms.count>());
  }
  HWY_INLINE HWY_ATTR void join(const Careful& c) {
    for (int k = 0; k < terms.count; ++k) q[k].add(c.q[k]);
  }
  HWY_INLINE HWY_ATTR void store(PanelTotals& t, Size at) {
    for (int k = 0; k < terms.count; ++k) {
      q[k].settle();
      const V words[] = {q[k].high, q[k].low, q[k].rest, q[k].lost};
      for (int w = 0; w < 4; ++w) hn::StoreU(words[w], d64, t.word[terms.term[k].to + w] + at);
    }
  }

 private:
  template <std::size_t... k>
  HWY_INLINE HWY_ATTR void take_all(const Pair& e, std::index_sequence<k...>) {
    (take_term<k>(e), ...);
  }
  template <std::size_t k>
  HWY_INLINE HWY_ATTR void take_term(const Pair& e) {
    constexpr PanelTerm t = terms.term[k];
    if constexpr (t.a == Factor::distance) {
      const auto d = difference_of(e);
      q[k].add(hn::Abs(d.sum));
      q[k].add(rest_of_distance(d));
    } else if constexpr (t.a == Factor::difference) {
      const auto d = difference_of(e);
      add_product(q[k], d.sum, d.sum);
      add_product(q[k], hn::Add(d.sum, d.sum), d.rest);
      add_product(q[k], d.rest, d.rest);
    } else if constexpr (t.b == Factor::square) {  // x^2 has two words
      const auto s = Lanes::product(e.x, e.x);
      if constexpr (t.a == Factor::x) {
        add_product(q[k], e.x, s.sum);
        add_product(q[k], e.x, s.rest);
      } else {
        add_product(q[k], s.sum, s.sum);
        add_product(q[k], hn::Add(s.sum, s.sum), s.rest);
        add_product(q[k], s.rest, s.rest);
      }
    } else if constexpr (t.is_product()) {
      add_product(q[k], value_of<t.a>(e), value_of<t.b>(e));
    } else {
      q[k].add(value_of<t.a>(e));
    }
  }
  HWY_INLINE HWY_ATTR static void add_product(QuickV& q, V a, V b) {
    const V zero = hn::Zero(d64);
    const auto p = Lanes::product(a, b);
    q.add(p.sum);
    // Without this, a rounding error of +0 could change the sign of a zero sum.
    q.add(hn::IfThenElse(hn::Eq(p.rest, zero), hn::Set(d64, -0.0), p.rest));
    // A product below 2^-900 may have bits below 2^-1074.
    const auto small = hn::And(hn::Lt(hn::Abs(p.sum), hn::Set(d64, 0x1p-900)),
                               hn::And(hn::Ne(a, zero), hn::Ne(b, zero)));
    q.lost = hn::Add(q.lost, hn::IfThenElseZero(small, hn::Set(d64, 0x1p-1072)));
  }
};

// Sums the terms of pairs that contain an infinity or a NaN.
template <PanelTerms terms>
struct NonfiniteSum {
  static constexpr uint32_t used = bit(PanelTotals::high);
  V sum;

  HWY_INLINE HWY_ATTR void open() { sum = hn::Zero(d64); }
  HWY_INLINE HWY_ATTR void take(const Pair& e) {
    auto finite = hn::Lt(hn::Abs(e.x), Lanes::infinity());
    if constexpr (terms.reads_y()) {
      finite = hn::And(finite, hn::Lt(hn::Abs(e.y), Lanes::infinity()));
    }
    sum = hn::Add(sum, hn::IfThenZeroElse(finite, given_by(e)));
  }
  HWY_INLINE HWY_ATTR void join(const NonfiniteSum& s) { sum = hn::Add(sum, s.sum); }
  HWY_INLINE HWY_ATTR void store(PanelTotals& t, Size at) {
    hn::StoreU(sum, d64, t.word[PanelTotals::high] + at);
  }

 private:
  HWY_INLINE HWY_ATTR static V given_by(const Pair& e) {
    constexpr Nonfinite gives = terms.nonfinite;
    if constexpr (gives == Nonfinite::x) return e.x;
    if constexpr (gives == Nonfinite::magnitude) return hn::Abs(e.x);
    if constexpr (gives == Nonfinite::product) return hn::Mul(e.x, e.y);
    // The difference of equal infinities is NaN, any other an infinity.
    if constexpr (gives == Nonfinite::distance) return hn::Abs(hn::Sub(e.x, e.y));
    if constexpr (gives == Nonfinite::nan) return not_a_number();
    if constexpr (gives == Nonfinite::weighted) {
      const V p = hn::Mul(e.x, e.y);
      const auto bad = hn::Or(hn::Not(hn::Eq(p, p)), hn::Eq(hn::Abs(e.y), Lanes::infinity()));
      return hn::IfThenElseZero(bad, not_a_number());
    }
  }
};

// Loads elements of r answers; lanes without an answer get the fill values.
template <PanelTerms terms>
struct Strided {
  const Panel& p;
  V x = hn::Set(d64, terms.fill_x), y = hn::Set(d64, terms.fill_y);

  // Returns element i of each answer in [a, a + r).
  HWY_INLINE HWY_ATTR Pair at(Size a, Size i, std::size_t r) const {
    const V v = load_apart<double>(address(p.x, a, p.row, i, p.element), p.row, r, x);
    if constexpr (!terms.reads_y()) return {v, v};
    return {v, load_apart<double>(address(p.y, a, p.y_row, i, p.y_element), p.y_row, r, y)};
  }
  // Prefetches the element of answer a that is read 8 rows later than element i.
  void ahead(Size a, Size i) const {
    __builtin_prefetch(address(p.x, a, p.row, i + 8, p.element));
    if (terms.reads_y()) __builtin_prefetch(address(p.y, a, p.y_row, i + 8, p.y_element));
  }
  // Returns the elements [i, i + m) of answer a.
  HWY_INLINE HWY_ATTR Pair along(Size a, Size i, std::size_t m) const {
    constexpr int64_t side_by_side = sizeof(double);
    const V v = load_apart<double>(address(p.x, a, p.row, i, p.element), side_by_side, m, x);
    if constexpr (!terms.reads_y()) return {v, v};
    return {v, load_apart<double>(address(p.y, a, p.y_row, i, p.y_element), side_by_side, m, y)};
  }

 private:
  static const std::byte* address(const std::byte* from, Size a, int64_t row, Size i,
                                  int64_t element) {
    return from + static_cast<int64_t>(a) * row + static_cast<int64_t>(i) * element;
  }
};

// Adds vectors along each of r rows, then joins the lanes of each row.
template <class Sum, PanelTerms terms>
HWY_ATTR Sum joined_rows(const Strided<terms>& from, Size a, std::size_t r) {
  constexpr std::size_t words = sizeof(Sum) / sizeof(V);
  alignas(64) double part[N][words][N], of_lane[words][N];
  const Size n = from.p.elements;
  for (std::size_t k = 0; k < N; ++k) {
    const Size row = a + (k < r ? k : r - 1);
    Sum sum;
    sum.open();
    Size i = 0;
    for (; i + N <= n; i += N) sum.take(from.along(row, i, N));
    if (i < n) sum.take(from.along(row, i, n - i));
    std::memcpy(part[k], &sum, sizeof sum);
  }
  Sum total, sum;
  total.open();
  for (std::size_t lane = 0; lane < N; ++lane) {
    for (std::size_t w = 0; w < words; ++w) {
      for (std::size_t k = 0; k < N; ++k) of_lane[w][k] = part[k][w][lane];
    }
    std::memcpy(&sum, of_lane, sizeof sum);
    total.join(sum);
  }
  return total;
}

// Adds up sizeof...(k) * N columns, one for each answer from a on. Rows that lie far apart are read
// in longer pieces this way: states of sums of (256, 16384) f64 took 7.2 ms, and take 2.5 (EPYC).
template <class Sum, PanelTerms terms, std::size_t... k>
HWY_INLINE HWY_ATTR void add_band(const Strided<terms>& from, Size a, PanelTotals& totals,
                                  std::index_sequence<k...>) {
  Sum sum[sizeof...(k)];
  (sum[k].open(), ...);
  for (Size i = 0; i < from.p.elements; ++i) {
    (from.ahead(a + k * N, i), ...);
    (sum[k].take(from.at(a + k * N, i, N)), ...);
  }
  (sum[k].store(totals, a + k * N), ...);
}

template <class Sum, PanelTerms terms>
HWY_ATTR bool add_up(const Panel& p, PanelTotals& totals) {
  totals.used = Sum::used;
  constexpr int64_t bytes = sizeof(double);
  const bool along =
      p.element == bytes && (!terms.reads_y() || p.y_element == bytes) && p.elements >= N;
  const Strided<terms> from{p};
  // Half of the registers hold sums. Sums with squares are as quick alone.
  constexpr std::size_t words = sizeof(Sum) / sizeof(V);
  constexpr std::size_t at_once = words > 4 ? 1 : HWY_TARGET <= HWY_AVX3 ? 4 : 2;
  Size a = 0;
  for (; at_once > 1 && !along && a + at_once * N <= p.answers; a += at_once * N) {
    add_band<Sum>(from, a, totals, std::make_index_sequence<at_once>());
  }
  for (; a < p.answers; a += N) {
    const std::size_t r = p.answers - a < N ? p.answers - a : N;
    Sum sum;
    sum.open();
    if (along) {
      sum = joined_rows<Sum>(from, a, r);
    } else {
      for (Size i = 0; i < p.elements; ++i) sum.take(from.at(a, i, r));
    }
    sum.store(totals, a);
  }
  return true;
}

template <PanelTerms terms>
HWY_ATTR bool careful(const Panel& p, PanelTotals& totals) {
  return add_up<Careful<terms>, terms>(p, totals);
}
template <PanelTerms terms>
HWY_ATTR bool nonfinite(const Panel& p, PanelTotals& totals) {
  return add_up<NonfiniteSum<terms>, terms>(p, totals);
}

#define ONEFOLD_CAREFUL(name)                                           \
  template bool careful<panel_terms::name>(const Panel&, PanelTotals&); \
  template bool nonfinite<panel_terms::name>(const Panel&, PanelTotals&)
ONEFOLD_CAREFUL(sums);
ONEFOLD_CAREFUL(magnitudes);
ONEFOLD_CAREFUL(squares);
ONEFOLD_CAREFUL(spreads);
ONEFOLD_CAREFUL(moments);
ONEFOLD_CAREFUL(zeros);
ONEFOLD_CAREFUL(products);
template bool careful<panel_terms::integer_products>(const Panel&, PanelTotals&);
ONEFOLD_CAREFUL(squared_differences);
ONEFOLD_CAREFUL(distances);
ONEFOLD_CAREFUL(weighted);
ONEFOLD_CAREFUL(second_moments);
ONEFOLD_CAREFUL(all_moments);
#undef ONEFOLD_CAREFUL

}  // namespace panel_careful_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
