// Sums of the squares, or of the magnitudes, of what two inputs differ by, element by element.
// Nothing cancels: unlike Qx + Qy - 2P they are as certain of arrays that are nearly equal.
//
//   narrow   f32, f16, bf16: a difference is rounded by 2^-53 of itself, an f64 sum of n of them by
//            so many times as much
//   wide     f64: differences and sums in two words, wrong by the square of that
//   careful  any of them in three words, nothing lost but what `lost` says
//   source   a difference's two words: Knuth's TwoSum
#include "backend/cpu/hot.hpp"
#include "backend/cpu/of_target.hpp"
#include "backend/cpu/pair_panels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/panel/differences.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if HWY_TARGET <= HWY_SSE4
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace panel_differences_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "backend/cpu/vocabulary.inl"

#include "backend/cpu/exact/window.inl"

#include "backend/cpu/panel/lanes.inl"

#include "backend/cpu/panel/kinds.inl"

#include "backend/cpu/panel/careful.inl"
#include "backend/cpu/panel/rows.inl"

#include "backend/cpu/panel/pairs.inl"

// What is not there differs by 0.
struct Filled {
  static constexpr bool plain = false, shifted = false;
  static constexpr double fill_x = 0.0, fill_y = 0.0;
};

// n additions of what is not negative: each rounds by 2^-53 of the sum at most, as do the
// difference and its square before.
template <PairTotal total>
struct NarrowDifferences : Filled {
  static constexpr int words = 1;
  static constexpr Totals::Word place[] = {Totals::high};
  static constexpr uint32_t used = bit(Totals::high) | bit(Totals::lost);
  V w[words];

  HWY_INLINE HWY_ATTR void open() { w[0] = hn::Zero(d64); }
  HWY_INLINE HWY_ATTR void take(V x, V y) {
    const V d = hn::Sub(x, y);
    if constexpr (total == PairTotal::squares) {
      w[0] = hn::MulAdd(d, d, w[0]);
    } else {
      w[0] = hn::Add(w[0], hn::Abs(d));
    }
  }
  HWY_INLINE HWY_ATTR static NarrowDifferences join(const NarrowDifferences& a,
                                                    const NarrowDifferences& b) {
    return {{}, {hn::Add(a.w[0], b.w[0])}};
  }
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(Size n, Put put) {
    put(Totals::high, w[0]);
    put(Totals::lost, hn::Mul(w[0], hn::Set(d64, static_cast<double>(n + 16) * 0x1p-52)));
  }
};

// As WideSquares. Of (s + r)^2, where |r| <= 2^-53 |s|, r^2 is left out; the words below the sum's
// first are 2^-53 (n + 3) of it at most, and adding those up rounds by 2^-53 n of them.
template <PairTotal total>
struct WideDifferences : Filled {
  static constexpr int words = 2;
  static constexpr Totals::Word place[] = {Totals::high, Totals::low};
  static constexpr uint32_t used = bit(Totals::high) | bit(Totals::low) | bit(Totals::lost);
  V w[words];

  HWY_INLINE HWY_ATTR void open() { w[0] = w[1] = hn::Zero(d64); }
  HWY_INLINE HWY_ATTR void add(V high, V low) {
    const auto t = two_sum<Lanes>(w[0], high);
    w[0] = t.sum;
    w[1] = hn::Add(w[1], hn::Add(t.rest, low));
  }
  HWY_INLINE HWY_ATTR void take(V x, V y) {
    const auto d = two_sum<Lanes>(x, hn::Neg(y));
    if constexpr (total == PairTotal::squares) {
      const auto p = Lanes::product(d.sum, d.sum);
      add(p.sum, hn::MulAdd(hn::Add(d.sum, d.sum), d.rest, p.rest));
    } else {
      // The rest takes the sign that the difference loses.
      add(hn::Abs(d.sum), hn::Xor(d.rest, hn::And(d.sum, hn::Set(d64, -0.0))));
    }
  }
  HWY_INLINE HWY_ATTR static WideDifferences join(const WideDifferences& a,
                                                  const WideDifferences& b) {
    WideDifferences r = a;
    r.add(b.w[0], b.w[1]);
    return r;
  }
  // Products below 2^-969 lose bits below 2^-1074.
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(Size n, Put put) {
    const auto m = static_cast<double>(n + 16);
    constexpr double small = total == PairTotal::squares ? 0x1p-1070 : 0;
    put(Totals::high, w[0]);
    put(Totals::low, w[1]);
    put(Totals::lost, hn::MulAdd(w[0], hn::Set(d64, m * m * 0x1p-104), hn::Set(d64, m * small)));
  }
};

template <PairTotal total>
struct CarefulDifferences : Filled, OneSum {
  HWY_INLINE HWY_ATTR void open() { q = QuickV::of(hn::Zero(d64)); }
  HWY_INLINE HWY_ATTR void add(const Lanes::Product& p) {
    q.add(p.sum);
    q.add(p.rest);
  }
  HWY_INLINE HWY_ATTR void take(V x, V y) {
    const auto d = two_sum<Lanes>(x, hn::Neg(y));
    if constexpr (total == PairTotal::squares) {
      add(Lanes::product(d.sum, d.sum));
      add(Lanes::product(hn::Add(d.sum, d.sum), d.rest));
      add(Lanes::product(d.rest, d.rest));
      // A product of what is below 2^-450 may have bits below 2^-1074.
      const V zero = hn::Zero(d64), limit = hn::Set(d64, 0x1p-450);
      const auto small = [&](V v) HWY_ATTR {
        return hn::And(hn::Lt(hn::Abs(v), limit), hn::Ne(v, zero));
      };
      q.lost = hn::Add(
          q.lost, hn::IfThenElseZero(hn::Or(small(d.sum), small(d.rest)), hn::Set(d64, 0x1p-1070)));
    } else {
      q.add(hn::Abs(d.sum));
      q.add(hn::Xor(d.rest, hn::And(d.sum, hn::Set(d64, -0.0))));
    }
  }
  // Infinities of one sign differ by NaN; any other by an infinity.
  HWY_INLINE HWY_ATTR static V of_nonfinite(V x, V y) { return hn::Abs(hn::Sub(x, y)); }
};

template <class T, PairTotal total>
constexpr PanelSums gathers_of() {
  using Kind = std::conditional_t<sizeof(T) == 8, WideDifferences<total>, NarrowDifferences<total>>;
  return {rows_of_pairs<T, Kind>, columns_of_pairs<T, Kind>,
          careful_pairs<T, CarefulDifferences<total>>,
          nonfinite_pairs<T, CarefulDifferences<PairTotal::magnitudes>>};
}
template <class T, PairTotal total>
constexpr PanelSums gathers = gathers_of<T, total>();

template <class T>
const PanelSums* of_type(PairTotal total) {
  return total == PairTotal::squares ? &gathers<T, PairTotal::squares>
                                     : &gathers<T, PairTotal::magnitudes>;
}

const PanelSums* find(PairTotal total, DType t) {
  return visit(t, [&]<class T>() -> const PanelSums* {
    if constexpr (Floating<T> && takes<T>) return of_type<T>(total);
    return nullptr;
  });
}

}  // namespace panel_differences_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

const PanelSums* panel_differences([[maybe_unused]] Target target, [[maybe_unused]] PairTotal total,
                                   [[maybe_unused]] DType t) {
  ONEFOLD_OF_TARGET(target, panel_differences_of::find(total, t));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
