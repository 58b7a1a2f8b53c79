// Weighted means: sums of products and of weights side by side, and their quotient.
//
//   narrow   f32, f16, bf16: products are exact f64; each sum is wrong by so much of the sum of
//            magnitudes
//   wide     f64: products and sums in two words, wrong by the square of that
//   careful  both in three words
//   round    P / W in two words (quotient.inl)
//   gives up P = 0, whose sign only exact words know, infinities, and exponents beyond 500
#include "backend/cpu/hot.hpp"
#include "backend/cpu/of_target.hpp"
#include "backend/cpu/pair_panels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/panel/weighted.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if HWY_TARGET <= HWY_SSE4
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace panel_weighted_of {
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

// What is not there weighs nothing.
struct Filled {
  static constexpr bool plain = false, shifted = false;
  static constexpr double fill_x = 0.0, fill_y = 0.0;
};

struct NarrowSums : Filled {
  static constexpr int words = 4;
  static constexpr Totals::Word place[] = {Totals::high, Totals::lost, Totals::square,
                                           Totals::square_lost};
  static constexpr uint32_t used =
      bit(Totals::high) | bit(Totals::lost) | bit(Totals::square) | bit(Totals::square_lost);
  V w[words];

  HWY_INLINE HWY_ATTR void open() {
    for (V& v : w) v = hn::Zero(d64);
  }
  HWY_INLINE HWY_ATTR void take(V x, V y) {
    const V p = hn::Mul(x, y);
    w[0] = hn::Add(w[0], p);
    w[1] = hn::Add(w[1], hn::Abs(p));
    w[2] = hn::Add(w[2], y);
    w[3] = hn::Add(w[3], hn::Abs(y));
  }
  HWY_INLINE HWY_ATTR static NarrowSums join(const NarrowSums& a, const NarrowSums& b) {
    return {{},
            {hn::Add(a.w[0], b.w[0]), hn::Add(a.w[1], b.w[1]), hn::Add(a.w[2], b.w[2]),
             hn::Add(a.w[3], b.w[3])}};
  }
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(Size n, Put put) {
    const V bound = hn::Set(d64, static_cast<double>(n + 16) * 0x1p-52);
    put(Totals::high, w[0]);
    put(Totals::lost, hn::Mul(w[1], bound));
    put(Totals::square, w[2]);
    put(Totals::square_lost, hn::Mul(w[3], bound));
  }
};

// As WideDots, and the weights as products with 1.
struct WideSums : Filled {
  static constexpr int words = 6;
  static constexpr Totals::Word place[] = {Totals::high,   Totals::low,        Totals::lost,
                                           Totals::square, Totals::square_low, Totals::square_lost};
  static constexpr uint32_t used = bit(Totals::high) | bit(Totals::low) | bit(Totals::lost) |
                                   bit(Totals::square) | bit(Totals::square_low) |
                                   bit(Totals::square_lost);
  V w[words];

  HWY_INLINE HWY_ATTR void open() {
    for (V& v : w) v = hn::Zero(d64);
  }
  HWY_INLINE HWY_ATTR void add(int k, V high, V low) {
    const auto t = two_sum<Lanes>(w[k], high);
    w[k] = t.sum;
    w[k + 1] = hn::Add(w[k + 1], hn::Add(t.rest, low));
  }
  HWY_INLINE HWY_ATTR void take(V x, V y) {
    const auto p = Lanes::product(x, y);
    add(0, p.sum, p.rest);
    w[2] = hn::Add(w[2], hn::Abs(p.sum));
    add(3, y, hn::Zero(d64));
    w[5] = hn::Add(w[5], hn::Abs(y));
  }
  HWY_INLINE HWY_ATTR static WideSums join(const WideSums& a, const WideSums& b) {
    WideSums r = a;
    r.add(0, b.w[0], b.w[1]);
    r.w[2] = hn::Add(a.w[2], b.w[2]);
    r.add(3, b.w[3], b.w[4]);
    r.w[5] = hn::Add(a.w[5], b.w[5]);
    return r;
  }
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(Size n, Put put) {
    const auto m = static_cast<double>(n + 16);
    const V bound = hn::Set(d64, m * m * 0x1p-104);
    put(Totals::high, w[0]);
    put(Totals::low, w[1]);
    put(Totals::lost, hn::MulAdd(w[2], bound, hn::Set(d64, m * 0x1p-1070)));
    put(Totals::square, w[3]);
    put(Totals::square_low, w[4]);
    put(Totals::square_lost, hn::Mul(w[5], bound));
  }
};

struct CarefulSums : Filled {
  QuickV p, w;
  HWY_INLINE HWY_ATTR void open() { p = w = QuickV::of(hn::Zero(d64)); }
  HWY_INLINE HWY_ATTR void take(V x, V y) {
    const V zero = hn::Zero(d64);
    const auto product = Lanes::product(x, y);
    p.add(product.sum);
    p.add(product.rest);
    const auto small = hn::And(hn::Lt(hn::Abs(product.sum), hn::Set(d64, 0x1p-900)),
                               hn::And(hn::Ne(x, zero), hn::Ne(y, zero)));
    p.lost = hn::Add(p.lost, hn::IfThenElseZero(small, hn::Set(d64, 0x1p-1072)));
    w.add(y);
  }
  HWY_INLINE HWY_ATTR void store(Totals& t, Size at) {
    p.settle();
    w.settle();
    store_quick(p, t, Totals::high, at);
    store_quick(w, t, Totals::square, at);
  }
  static constexpr uint32_t used = 15u << Totals::high | 15u << Totals::square;
  // What makes the mean NaN: a NaN, 0 times an infinity, an infinite weight. Infinite elements are
  // left to exact words, which know the sign of the weights' sum.
  HWY_INLINE HWY_ATTR static V of_nonfinite(V x, V y) {
    const V p = hn::Mul(x, y);
    const auto bad = hn::Or(hn::Not(hn::Eq(p, p)), hn::Eq(hn::Abs(y), Lanes::infinity()));
    return hn::IfThenElseZero(bad, not_a_number());
  }
};

// Quotients of totals, of type T.
template <class T>
HWY_ATTR Size round_to(const Totals& t, Size n, std::byte* out, uint8_t* decided) {
  Size sure = 0;
  for (Size a = 0; a < n; a += N) {
    const std::size_t r = n - a < N ? n - a : N;
    QuickV sum = number(t, Totals::high, a, r), weight = number(t, Totals::square, a, r);
    sum.settle();
    weight.settle();
    const QuickV p = sum.normal(), w = weight.normal();
    hn::Mask<D> good, usable;
    const V v = quotient(p, w, usable).template decide<T>(good);
    good = hn::And(good, usable);
    put<T>(v, out + a * sizeof(T), r);
    sure += mark(good, decided + a, r);
  }
  return sure;
}

HWY_ATTR Size round(const QuickFormula&, DType to, const Totals& t, Size n, std::byte* out,
                    uint8_t* decided) {
  return visit(to, [&]<class T>() {
    if constexpr (Floating<T> && takes<T>) return round_to<T>(t, n, out, decided);
    std::memset(decided, 0, n);
    return Size{0};
  });
}

template <class T>
constexpr PanelQuotient gathers_of() {
  using Kind = std::conditional_t<sizeof(T) == 8, WideSums, NarrowSums>;
  return {{rows_of_pairs<T, Kind>, columns_of_pairs<T, Kind>, careful_pairs<T, CarefulSums>,
           nonfinite_pairs<T, CarefulSums>},
          round};
}
template <class T>
constexpr PanelQuotient gathers = gathers_of<T>();

const PanelQuotient* find(DType t) {
  return visit(t, []<class T>() -> const PanelQuotient* {
    if constexpr (Floating<T> && takes<T>) return &gathers<T>;
    return nullptr;
  });
}

}  // namespace panel_weighted_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

const PanelQuotient* panel_weighted([[maybe_unused]] Target target, [[maybe_unused]] DType t) {
  ONEFOLD_OF_TARGET(target, panel_weighted_of::find(t));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
