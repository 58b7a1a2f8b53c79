// Sums of products of panels of two inputs, element by element.
//
//   plain    integers: f64 additions, exact unless the processor's flag says otherwise
//   bounded  f32, f16, bf16: products are exact f64, and their sum is wrong by so much of the sum
//            of magnitudes; f64: in two words, by the square of that
//   careful  any of them in three words, nothing lost but what `lost` says
#include "backend/cpu/hot.hpp"
#include "backend/cpu/of_target.hpp"
#include "backend/cpu/panel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/panel/dots.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if HWY_TARGET <= HWY_SSE4
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace panel_dots_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "backend/cpu/vocabulary.inl"

#include "backend/cpu/exact/window.inl"

#include "backend/cpu/panel/lanes.inl"

#include "backend/cpu/panel/kinds.inl"

#include "backend/cpu/panel/careful.inl"
#include "backend/cpu/panel/rows.inl"

#include "backend/cpu/panel/pairs.inl"

// What is not there has the product -0, which changes no sum.
struct Filled {
  static constexpr bool shifted = false;
  static constexpr double fill_x = -0.0, fill_y = 1.0;
};

// Kinds as in kinds.inl, of two elements at a time.
struct PlainDots : Filled {
  static constexpr bool plain = true;
  static constexpr int words = 1;
  static constexpr Totals::Word place[] = {Totals::high};
  static constexpr uint32_t used = bit(Totals::high);
  V w[words];

  // +0: the product of integers 0 and -5 is an f64 of -0, and their sum is no -0.
  HWY_INLINE HWY_ATTR void open() { w[0] = hn::Zero(d64); }
  HWY_INLINE HWY_ATTR void take(V x, V y) { w[0] = hn::MulAdd(x, y, w[0]); }
  HWY_INLINE HWY_ATTR static PlainDots join(const PlainDots& a, const PlainDots& b) {
    return {{}, {hn::Add(a.w[0], b.w[0])}};
  }
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(Size, Put put) {
    put(Totals::high, w[0]);
  }
};

// A sum and that of magnitudes: n additions round by 2^-53 of it at most.
struct NarrowDots : Filled {
  static constexpr bool plain = false;
  static constexpr int words = 2;
  static constexpr Totals::Word place[] = {Totals::high, Totals::lost};
  static constexpr uint32_t used = bit(Totals::high) | bit(Totals::lost);
  V w[words];

  HWY_INLINE HWY_ATTR void open() {
    w[0] = hn::Set(d64, -0.0);
    w[1] = hn::Zero(d64);
  }
  HWY_INLINE HWY_ATTR void take(V x, V y) {
    const V p = hn::Mul(x, y);
    w[0] = hn::Add(w[0], p);
    w[1] = hn::Add(w[1], hn::Abs(p));
  }
  HWY_INLINE HWY_ATTR static NarrowDots join(const NarrowDots& a, const NarrowDots& b) {
    return {{}, {hn::Add(a.w[0], b.w[0]), hn::Add(a.w[1], b.w[1])}};
  }
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(Size n, Put put) {
    put(Totals::high, w[0]);
    put(Totals::lost, hn::Mul(w[1], hn::Set(d64, static_cast<double>(n + 16) * 0x1p-52)));
  }
};

// As WideSquares: what n steps leave out is 2^-53 n of the sum of magnitudes at most, and adding
// that up rounds by 2^-53 n of it. Products below 2^-969 lose bits below 2^-1074.
struct WideDots : Filled {
  static constexpr bool plain = false;
  static constexpr int words = 3;
  static constexpr Totals::Word place[] = {Totals::high, Totals::low, Totals::lost};
  static constexpr uint32_t used = bit(Totals::high) | bit(Totals::low) | bit(Totals::lost);
  V w[words];

  HWY_INLINE HWY_ATTR void open() {
    for (V& v : w) v = hn::Zero(d64);
  }
  HWY_INLINE HWY_ATTR void take(V x, V y) {
    const auto p = Lanes::product(x, y);
    const auto t = two_sum<Lanes>(w[0], p.sum);
    w[0] = t.sum;
    w[1] = hn::Add(w[1], hn::Add(t.rest, p.rest));
    w[2] = hn::Add(w[2], hn::Abs(p.sum));
  }
  HWY_INLINE HWY_ATTR static WideDots join(const WideDots& a, const WideDots& b) {
    const auto t = two_sum<Lanes>(a.w[0], b.w[0]);
    return {{}, {t.sum, hn::Add(hn::Add(a.w[1], b.w[1]), t.rest), hn::Add(a.w[2], b.w[2])}};
  }
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(Size n, Put put) {
    const auto m = static_cast<double>(n + 16);
    put(Totals::high, w[0]);
    put(Totals::low, w[1]);
    put(Totals::lost,
        hn::MulAdd(w[2], hn::Set(d64, m * m * 0x1p-104), hn::Set(d64, m * 0x1p-1070)));
  }
};

template <class T>
struct CarefulDots : Filled, OneSum {
  HWY_INLINE HWY_ATTR static V of_nonfinite(V x, V y) { return hn::Mul(x, y); }
  HWY_INLINE HWY_ATTR void open() {
    q = Floating<T> ? QuickV::nothing() : QuickV::of(hn::Zero(d64));
  }
  HWY_INLINE HWY_ATTR void take(V x, V y) {
    const V zero = hn::Zero(d64);
    const auto p = Lanes::product(x, y);
    q.add(p.sum);
    q.add(hn::IfThenElse(hn::Eq(p.rest, zero), hn::Set(d64, -0.0), p.rest));
    const auto small = hn::And(hn::Lt(hn::Abs(p.sum), hn::Set(d64, 0x1p-900)),
                               hn::And(hn::Ne(x, zero), hn::Ne(y, zero)));
    q.lost = hn::Add(q.lost, hn::IfThenElseZero(small, hn::Set(d64, 0x1p-1072)));
  }
};

template <class T, class Kind>
constexpr PanelSums gathers{rows_of_pairs<T, Kind>, columns_of_pairs<T, Kind>,
                            careful_pairs<T, CarefulDots<T>>,
                            Floating<T> ? nonfinite_pairs<T, CarefulDots<T>> : nullptr};

const PanelSums* find(DType t) {
  return visit(t, []<class T>() -> const PanelSums* {
    if constexpr (!Floating<T>) {
      return &gathers<T, PlainDots>;
    } else if constexpr (takes<T>) {
      return &gathers<T, std::conditional_t<sizeof(T) == 8, WideDots, NarrowDots>>;
    } else {
      return nullptr;
    }
  });
}

}  // namespace panel_dots_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

const PanelSums* panel_dots([[maybe_unused]] Target target, [[maybe_unused]] DType t) {
  ONEFOLD_OF_TARGET(target, panel_dots_of::find(t));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
