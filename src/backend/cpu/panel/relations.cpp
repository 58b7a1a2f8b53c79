// How two inputs are related: cov, corr, slope, intercept and cosine, of the sums of products, of
// squares and, but for cosine, of elements.
//
//   narrow   f32, f16, bf16: of what elements differ from the first of their answer, or for cosine
//            of elements. A difference is rounded by 2^-53 of itself, an f64 sum of n terms by so
//            many times as much of the magnitudes', which are Cauchy's and Schwarz's business
//   wide     f64: products and sums in two words, wrong by the square of that
//   careful  all in three words, nothing lost but what `lost` says
//   round    the formulas of plan/pair_formula.cpp in two words and a bound. Differences of
//            intercept are taken back: (Sy + n oy) (nQx - Sx^2) - (Sx + n ox) (nP - SxSy) over
//            n (nQx - Sx^2), for origins ox and oy
#include "backend/cpu/hot.hpp"
#include "backend/cpu/of_target.hpp"
#include "backend/cpu/pair_panels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/panel/relations.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if HWY_TARGET <= HWY_SSE4
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace panel_relations_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "backend/cpu/vocabulary.inl"

#include "backend/cpu/exact/window.inl"

#include "backend/cpu/panel/lanes.inl"

#include "backend/cpu/panel/kinds.inl"

#include "backend/cpu/panel/careful.inl"
#include "backend/cpu/panel/rows.inl"

#include "backend/cpu/panel/answers.inl"
#include "backend/cpu/panel/pairs.inl"
#include "backend/cpu/panel/quotient.inl"

// What is not there is 0, or differs by 0. Products, whose total says what is not finite, first.
struct Filled {
  static constexpr bool plain = false;
  static constexpr double fill_x = 0.0, fill_y = 0.0;
};

// sums: of elements beside those of products, all about origins.
template <bool sums>
struct NarrowSums : Filled {
  static constexpr bool shifted = sums;
  static constexpr int words = sums ? 5 : 3;
  static constexpr Totals::Word place[] = {Totals::high, Totals::square, Totals::square_y,
                                           Totals::sum_x, Totals::sum_y};
  static constexpr uint32_t high_and_lost = bit(Totals::high) | bit(Totals::lost);
  static constexpr uint32_t used =
      high_and_lost << Totals::high | high_and_lost << Totals::square |
      high_and_lost << Totals::square_y |
      (sums ? high_and_lost << Totals::sum_x | high_and_lost << Totals::sum_y |
                  bit(Totals::origin) | bit(Totals::origin_y)
            : 0);
  V w[words];

  HWY_INLINE HWY_ATTR void open() {
    for (V& v : w) v = hn::Zero(d64);
  }
  HWY_INLINE HWY_ATTR void take(V x, V y) {
    w[0] = hn::MulAdd(x, y, w[0]);
    w[1] = hn::MulAdd(x, x, w[1]);
    w[2] = hn::MulAdd(y, y, w[2]);
    if constexpr (sums) {
      w[3] = hn::Add(w[3], x);
      w[4] = hn::Add(w[4], y);
    }
  }
  HWY_INLINE HWY_ATTR static NarrowSums join(const NarrowSums& a, const NarrowSums& b) {
    NarrowSums r = a;
    for (int k = 0; k < words; ++k) r.w[k] = hn::Add(a.w[k], b.w[k]);
    return r;
  }
  // All partial sums are below that of magnitudes: of products sqrt(Qx Qy), of x sqrt(n Qx).
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(Size n, Put put) {
    const auto m = static_cast<double>(n + 16);
    const V each = hn::Set(d64, m * 0x1p-52), count = hn::Set(d64, m);
    const V lost[] = {hn::Sqrt(hn::Mul(w[1], w[2])), w[1], w[2], hn::Sqrt(hn::Mul(w[1], count)),
                      hn::Sqrt(hn::Mul(w[2], count))};
    for (int k = 0; k < words; ++k) {
      put(place[k], w[k]);
      put(static_cast<Totals::Word>(place[k] + Totals::lost), hn::Mul(lost[k], each));
    }
  }
};

template <bool sums>
struct WideSums : Filled {
  static constexpr bool shifted = false;
  static constexpr int count = sums ? 5 : 3, words = 2 * count;
  static constexpr Totals::Word first[] = {Totals::high, Totals::square, Totals::square_y,
                                           Totals::sum_x, Totals::sum_y};
  static constexpr Totals::Word low_of(Totals::Word w) {
    return static_cast<Totals::Word>(w + Totals::low);
  }
  static constexpr Totals::Word place[] = {first[0], low_of(first[0]), first[1], low_of(first[1]),
                                           first[2], low_of(first[2]), first[3], low_of(first[3]),
                                           first[4], low_of(first[4])};
  static constexpr uint32_t each = bit(Totals::high) | bit(Totals::low) | bit(Totals::lost);
  static constexpr uint32_t used = each << Totals::high | each << Totals::square |
                                   each << Totals::square_y |
                                   (sums ? each << Totals::sum_x | each << Totals::sum_y : 0);
  V w[words];

  HWY_INLINE HWY_ATTR void open() {
    for (V& v : w) v = hn::Zero(d64);
  }
  HWY_INLINE HWY_ATTR void add(int k, V high, V low) {
    const auto t = two_sum<Lanes>(w[2 * k], high);
    w[2 * k] = t.sum;
    w[2 * k + 1] = hn::Add(w[2 * k + 1], hn::Add(t.rest, low));
  }
  HWY_INLINE HWY_ATTR void add_product(int k, V x, V y) {
    const auto p = Lanes::product(x, y);
    add(k, p.sum, p.rest);
  }
  HWY_INLINE HWY_ATTR void take(V x, V y) {
    add_product(0, x, y);
    add_product(1, x, x);
    add_product(2, y, y);
    if constexpr (sums) {
      add(3, x, hn::Zero(d64));
      add(4, y, hn::Zero(d64));
    }
  }
  HWY_INLINE HWY_ATTR static WideSums join(const WideSums& a, const WideSums& b) {
    WideSums r = a;
    for (int k = 0; k < count; ++k) r.add(k, b.w[2 * k], b.w[2 * k + 1]);
    return r;
  }
  // As WideSquares and WideDots. Squares below 2^-969 lose bits below 2^-1074.
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(Size n, Put put) {
    const auto m = static_cast<double>(n + 16);
    const V small = hn::Set(d64, m * 0x1p-1070), most = hn::Set(d64, m * m * 0x1p-104);
    const V x = hn::Sqrt(hn::Add(w[2], small)), y = hn::Sqrt(hn::Add(w[4], small));
    const V root = hn::Set(d64, m);  // above sqrt(m), and cheaper
    const V size[] = {hn::Mul(x, y), w[2], w[4], hn::Mul(x, root), hn::Mul(y, root)};
    for (int k = 0; k < count; ++k) {
      put(first[k], w[2 * k]);
      put(low_of(first[k]), w[2 * k + 1]);
      put(static_cast<Totals::Word>(first[k] + Totals::lost), hn::MulAdd(size[k], most, small));
    }
  }
};

struct CarefulSums : Filled {
  static constexpr int firsts[] = {Totals::high, Totals::square, Totals::square_y, Totals::sum_x,
                                   Totals::sum_y};
  static constexpr uint32_t used = (1u << Totals::origin) - 1;
  QuickV q[5];

  HWY_INLINE HWY_ATTR void open() {
    for (QuickV& v : q) v = QuickV::of(hn::Zero(d64));
  }
  HWY_INLINE HWY_ATTR static void add_product(QuickV& q, V x, V y) {
    const V zero = hn::Zero(d64);
    const auto p = Lanes::product(x, y);
    q.add(p.sum);
    q.add(p.rest);
    const auto small = hn::And(hn::Lt(hn::Abs(p.sum), hn::Set(d64, 0x1p-900)),
                               hn::And(hn::Ne(x, zero), hn::Ne(y, zero)));
    q.lost = hn::Add(q.lost, hn::IfThenElseZero(small, hn::Set(d64, 0x1p-1072)));
  }
  HWY_INLINE HWY_ATTR void take(V x, V y) {
    add_product(q[0], x, y);
    add_product(q[1], x, x);
    add_product(q[2], y, y);
    q[3].add(x);
    q[4].add(y);
  }
  HWY_INLINE HWY_ATTR void store(Totals& t, Size at) {
    for (int k = 0; k < 5; ++k) {
      q[k].settle();
      store_quick(q[k], t, firsts[k], at);
    }
  }
  // Whatever the others are.
  HWY_INLINE HWY_ATTR static V of_nonfinite(V, V) { return not_a_number(); }
};

// Arithmetic of two words and a bound. Of (a.high + a.low) (b.high + b.low) the last product is
// left out and three sums are rounded: below 2^-100 of the product, and 2^-1070 where it is small.
HWY_INLINE HWY_ATTR QuickV two_words(const QuickV& q) {
  const QuickV n = q.normal();
  return {n.high, n.low, hn::Zero(d64), hn::Add(n.lost, hn::Abs(n.rest))};
}
HWY_INLINE HWY_ATTR QuickV two_words(V high, V low, V lost) {
  const auto t = two_sum<Lanes>(high, low);
  return {t.sum, t.rest, hn::Zero(d64), hn::Mul(lost, hn::Set(d64, 1 + 0x1p-40))};
}
HWY_INLINE HWY_ATTR QuickV times(const QuickV& a, const QuickV& b) {
  const auto p = Lanes::product(a.high, b.high);
  const V low = hn::Add(p.rest, hn::MulAdd(a.high, b.low, hn::Mul(a.low, b.high)));
  const V given = hn::MulAdd(hn::Abs(a.high), b.lost,
                             hn::MulAdd(hn::Abs(b.high), a.lost, hn::Mul(a.lost, b.lost)));
  const V rounded = hn::MulAdd(hn::Abs(p.sum), hn::Set(d64, 0x1p-100), hn::Set(d64, 0x1p-1070));
  return two_words(p.sum, low, hn::Add(given, rounded));
}
HWY_INLINE HWY_ATTR QuickV minus(const QuickV& a, const QuickV& b) {
  const auto d = two_sum<Lanes>(a.high, hn::Neg(b.high));
  const V low = hn::Add(d.rest, hn::Sub(a.low, b.low));
  const V wide = hn::Add(hn::Abs(d.rest), hn::Add(hn::Abs(a.low), hn::Abs(b.low)));
  return two_words(d.sum, low, hn::MulAdd(wide, hn::Set(d64, 0x1p-50), hn::Add(a.lost, b.lost)));
}

// Of a vector of answers.
struct Sums {
  QuickV n, xy, xx, yy, x, y, origin_x, origin_y;

  HWY_INLINE HWY_ATTR Sums(double elements, const Totals& t, Size a, std::size_t r)
      : n(QuickV::of(hn::Set(d64, elements))),
        xy(total(t, Totals::high, a, r)),
        xx(total(t, Totals::square, a, r)),
        yy(total(t, Totals::square_y, a, r)),
        x(total(t, Totals::sum_x, a, r)),
        y(total(t, Totals::sum_y, a, r)),
        origin_x(QuickV::of(word(t, Totals::origin, a, r))),
        origin_y(QuickV::of(word(t, Totals::origin_y, a, r))) {}
  HWY_INLINE HWY_ATTR static QuickV total(const Totals& t, int first, Size a, std::size_t r) {
    QuickV q = number(t, first, a, r);
    q.settle();
    return two_words(q);
  }
  HWY_INLINE HWY_ATTR QuickV common() const { return minus(times(n, xy), times(x, y)); }
  HWY_INLINE HWY_ATTR QuickV spread_x() const { return minus(times(n, xx), times(x, x)); }
  HWY_INLINE HWY_ATTR QuickV spread_y() const { return minus(times(n, yy), times(y, y)); }
  HWY_INLINE HWY_ATTR QuickV from_0(const QuickV& sum, const QuickV& origin) const {
    const V zero = hn::Zero(d64);
    const QuickV o = times(n, origin);
    return minus(sum, {hn::Neg(o.high), hn::Neg(o.low), zero, o.lost});
  }
};
// Exactly 0, and so is every element of an input, or what it differs from the first.
HWY_INLINE HWY_ATTR hn::Mask<D> nothing(const QuickV& squares) {
  return hn::And(squares.single(), hn::Eq(squares.high, hn::Zero(d64)));
}

// The answer before it is rounded, and where that is right.
template <PairFormula formula>
HWY_INLINE HWY_ATTR QuickV answer_of(const QuickFormula& f, const Sums& s, hn::Mask<D>& usable) {
  const auto over_root = [&](const QuickV& a, const QuickV& b, const QuickV& c) HWY_ATTR {
    return quotient(a, two_words(times(b, c).root()), usable);
  };
  if constexpr (formula == PairFormula::cosine) {
    return over_root(s.xy, s.xx, s.yy);
  } else if constexpr (formula == PairFormula::corr) {
    return over_root(s.common(), s.spread_x(), s.spread_y());
  } else if constexpr (formula == PairFormula::slope) {
    return quotient(s.common(), s.spread_x(), usable);
  } else if constexpr (formula == PairFormula::intercept) {
    const QuickV spread = s.spread_x();
    const QuickV a = times(s.from_0(s.y, s.origin_y), spread),
                 b = times(s.from_0(s.x, s.origin_x), s.common());
    return quotient(minus(a, b), times(s.n, spread), usable);
  } else {
    static_assert(formula == PairFormula::cov);
    usable = hn::Eq(s.xy.high, s.xy.high);
    QuickV q = s.common();
    if (f.factor != 1) q = times(q, QuickV::of(hn::Set(d64, f.factor)));
    if (f.n != 1) q = q.over(hn::Set(d64, f.n));
    return f.left == 1 ? q : q.over(hn::Set(d64, f.left));
  }
}

// What a constant input settles: all that is divided by its spread is NaN, the rest 0.
template <PairFormula formula>
HWY_INLINE HWY_ATTR hn::Mask<D> settled(const Sums& s, V& v) {
  const auto finite = hn::Lt(hn::Abs(s.xy.high), Lanes::infinity());
  const auto x = hn::And(finite, nothing(s.xx)), y = hn::And(finite, nothing(s.yy));
  const V zero = hn::Zero(d64);
  if constexpr (formula == PairFormula::cov) {
    v = hn::IfThenElse(hn::Or(x, y), zero, v);
    return hn::Or(x, y);
  } else if constexpr (formula == PairFormula::corr || formula == PairFormula::cosine) {
    v = hn::IfThenElse(hn::Or(x, y), not_a_number(), v);
    return hn::Or(x, y);
  } else if constexpr (formula == PairFormula::slope) {
    // Over a constant x there is none, and sums about 0 do not show that x is one.
    const QuickV spread = s.spread_x();
    const auto flat = hn::And(y, hn::Lt(hn::Add(spread.lost, spread.lost), hn::Abs(spread.high)));
    v = hn::IfThenElse(x, not_a_number(), hn::IfThenElse(flat, zero, v));
    return hn::Or(x, flat);
  } else {
    static_assert(formula == PairFormula::intercept);
    v = hn::IfThenElse(x, not_a_number(), v);
    return x;
  }
}

// Answers of all types are made by one loop: the last rounding alone depends on it.
template <PairFormula formula>
HWY_ATTR Size round(const QuickFormula& f, DType to, const Totals& t, Size n, std::byte* out,
                    uint8_t* decided) {
  Size sure = 0;
  const Size bytes = bytes_of(to);
  for (Size a = 0; a < n; a += N) {
    const std::size_t r = n - a < N ? n - a : N;
    const Sums s(f.elements, t, a, r);
    hn::Mask<D> usable, good;
    const QuickV q = answer_of<formula>(f, s, usable);
    visit(to, [&]<class T>() HWY_ATTR {
      if constexpr (Floating<T> && takes<T>) {
        V v = q.template decide<T>(good);
        good = hn::Or(hn::And(good, usable), settled<formula>(s, v));
        put<T>(v, out + a * bytes, r);
      } else {
        good = hn::Lt(q.high, q.high);
      }
    });
    sure += mark(good, decided + a, r);
  }
  return sure;
}

template <class T, class Kind>
constexpr PanelSums gathers{rows_of_pairs<T, Kind>, columns_of_pairs<T, Kind>,
                            careful_pairs<T, CarefulSums>, nonfinite_pairs<T, CarefulSums>};

template <PairFormula formula>
PanelRelation relation_of(DType t) {
  return visit(t, []<class T>() -> PanelRelation {
    if constexpr (Floating<T> && takes<T>) {
      constexpr bool sums = formula != PairFormula::cosine;
      using Kind = std::conditional_t<sizeof(T) == 8, WideSums<sums>, NarrowSums<sums>>;
      return {&gathers<T, Kind>, round<formula>};
    }
    return {nullptr, nullptr};
  });
}

PanelRelation find(PairFormula f, DType t) {
#define ONEFOLD_RELATION(formula) \
  if (f == PairFormula::formula) return relation_of<PairFormula::formula>(t)
  ONEFOLD_RELATION(cov);
  ONEFOLD_RELATION(corr);
  ONEFOLD_RELATION(slope);
  ONEFOLD_RELATION(intercept);
  ONEFOLD_RELATION(cosine);
#undef ONEFOLD_RELATION
  return {nullptr, nullptr};
}

}  // namespace panel_relations_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

PanelRelation panel_relation([[maybe_unused]] Target target, [[maybe_unused]] PairFormula f,
                             [[maybe_unused]] DType t) {
  ONEFOLD_OF_TARGET(target, panel_relations_of::find(f, t));
  return {nullptr, nullptr};
}

}  // namespace onefold::cpu_backend
#endif
