// Least and greatest elements of panels, and the first index of each.
//
//   keys    elements as integers in their total order (order_key.hpp): -0 is less than +0
//   ends    without places, integers are compared as they are. The bits of floats rise with the
//           value if it is positive, and fall if it is negative: the least and greatest as signed
//           integers and the greatest as unsigned ones show both extremes
//   NaN     found by magnitude, for a whole panel; only then answer by answer. Answers with a NaN
//           are undecided
//   magnitudes  of floats: keys without the sign, of which only the greatest is kept
//   places  each lane keeps the number of the vector, or of the row, where its best element first
//           occurs; a later element must be better to replace it
#include <vector>

#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/panel/extremes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace panel_extremes_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/vocabulary.inl"

#include "onefold/cpu/panel/keys.inl"

// The extreme of each lane.
template <class T, bool greatest>
struct End {
  using K = Keys<T>;
  using VL = typename K::VL;
  static constexpr hn::RebindToUnsigned<typename K::DL> du{};
  VL low, high, outer;  // the least and greatest as signed, the greatest as unsigned integers

  HWY_INLINE HWY_ATTR static End of(VL v) { return {v, v, v}; }
  HWY_INLINE HWY_ATTR void take(VL v) {
    const auto unsigned_of = [](VL x) HWY_ATTR { return hn::BitCast(du, x); };
    if constexpr (K::two_orders || K::is_signed) {
      if constexpr (K::two_orders || !greatest) low = hn::Min(low, v);
      if constexpr (K::two_orders || greatest) high = hn::Max(high, v);
      if constexpr (K::two_orders) {
        outer = hn::BitCast(K::d, hn::Max(unsigned_of(outer), unsigned_of(v)));
      }
    } else if constexpr (greatest) {
      outer = hn::BitCast(K::d, hn::Max(unsigned_of(outer), unsigned_of(v)));
    } else {
      outer = hn::BitCast(K::d, hn::Min(unsigned_of(outer), unsigned_of(v)));
    }
  }
  HWY_INLINE HWY_ATTR VL value() const {
    if constexpr (K::two_orders) {  // of negative floats, the one nearest to 0 has the least bits
      const auto negative = hn::Lt(greatest ? high : low, hn::Zero(K::d));
      return greatest ? hn::IfThenElse(negative, low, high) : hn::IfThenElse(negative, outer, low);
    } else {
      return !K::is_signed ? outer : greatest ? high : low;
    }
  }
  // Returns the maximum of `most` and the magnitudes that show whether the panel has a NaN: those
  // of the greatest elements as signed and as unsigned integers.
  HWY_INLINE HWY_ATTR VL magnitude(VL most) const {
    return K::magnitude(K::magnitude(most, high), outer);
  }
};

// The best keys of a run's lanes, and the number of the vector where each first occurs.
template <class T>
struct Best {
  typename Keys<T>::VL key, vector;
};

// Finds them. Without a branch: the place of the best element is not predictable.
//   n  has at most Keys<T>::most_vectors vectors if `placed`
template <class T, bool greatest, bool placed>
HWY_INLINE HWY_ATTR Best<T> best_of(const std::byte* x, Size n, typename Keys<T>::VL& most) {
  using K = Keys<T>;
  constexpr Size step = K::lanes;
  auto v = n < step ? K::load_some(x, n) : K::load(x);
  if constexpr (!placed) {
    auto end = End<T, greatest>::of(v);
    for (Size i = step; i < n; i += step) {  // the last vector may overlap the one before
      if (n - i < step) i = n - step;
      prefetch(x + i * sizeof(T), step * sizeof(T));
      end.take(K::load(x + i * sizeof(T)));
    }
    most = end.magnitude(most);
    return {K::turn(end.value()), hn::Zero(K::d)};
  }
  most = K::magnitude(most, v);
  Best<T> best{K::turn(v), hn::Zero(K::d)};
  const auto one = hn::Set(K::d, typename K::L{1});
  auto number = best.vector;
  for (Size i = step; i < n; i += step) {  // the last vector may overlap the one before
    if (n - i < step) i = n - step;
    prefetch(x + i * sizeof(T), step * sizeof(T));
    v = K::load(x + i * sizeof(T));
    most = K::magnitude(most, v);
    const auto key = K::turn(v);
    number = hn::Add(number, one);
    const auto win = greatest ? hn::Gt(key, best.key) : hn::Lt(key, best.key);
    best.vector = hn::IfThenElse(win, number, best.vector);
    best.key = better<K, greatest>(best.key, key);
  }
  return best;
}

// Returns the index of the first element whose key is `key`, the best of all lanes.
template <class T>
HWY_INLINE HWY_ATTR int64_t place_of(const Best<T>& best, Size n, typename Keys<T>::L key) {
  using K = Keys<T>;
  const auto here = hn::Eq(best.key, hn::Set(K::d, key));
  if (n <= K::lanes) return hn::FindFirstTrue(K::d, here);  // all in vector 0
  const auto none = hn::Set(K::d, std::numeric_limits<typename K::L>::max());
  const auto vectors = hn::IfThenElse(here, best.vector, none);
  const typename K::L first = best_lane<K, false>(vectors);
  const auto lane = hn::FindFirstTrue(K::d, hn::Eq(vectors, hn::Set(K::d, first)));
  const Size begin = static_cast<Size>(first) * K::lanes;
  return static_cast<int64_t>(begin + K::lanes <= n ? begin : n - K::lanes) + lane;
}

// Finds the best element of a row and, if `placed`, its place.
template <class T, bool greatest, bool placed>
HWY_INLINE HWY_ATTR void fold_row(const std::byte* x, Size n, typename Keys<T>::VL& most,
                                  std::byte* value, int64_t* place) {
  using K = Keys<T>;
  // A lane of 8 bits cannot number all vectors of a long row.
  constexpr Size most_elements = K::most_vectors * K::lanes;
  const Size first = !placed || n < most_elements ? n : most_elements;
  const Best<T> best = best_of<T, greatest, placed>(x, first, most);
  typename K::L key = best_lane<K, greatest>(best.key);
  if constexpr (placed) {
    *place = place_of<T>(best, first, key);
    for (Size i = first; i < n; i += most_elements) {
      const Size m = n - i < most_elements ? n - i : most_elements;
      const Best<T> next = best_of<T, greatest, true>(x + i * sizeof(T), m, most);
      const typename K::L own = best_lane<K, greatest>(next.key);
      if (greatest ? own <= key : own >= key) continue;
      key = own;
      *place = static_cast<int64_t>(i) + place_of<T>(next, m, key);
    }
  }
  const typename K::L bits = hn::GetLane(K::turn(hn::Set(K::d, key)));
  std::memcpy(value, &bits, sizeof bits);
}

template <class T, bool greatest>
HWY_ATTR Size rows(const Panel& p, std::byte* values, int64_t* places, uint8_t* decided) {
  using K = Keys<T>;
  auto most = hn::Zero(K::d);
  for (Size a = 0; a < p.answers; ++a) {
    const std::byte* const x = p.x + static_cast<int64_t>(a) * p.row;
    std::byte* const value = values + a * sizeof(T);
    if constexpr (K::has_places) {
      if (places != nullptr) {
        fold_row<T, greatest, true>(x, p.elements, most, value, places + a);
        continue;
      }
    }
    fold_row<T, greatest, false>(x, p.elements, most, value, nullptr);
  }
  if (HWY_LIKELY(!K::has_nan(most))) return p.answers;
  Size sure = 0;
  for (Size a = 0; a < p.answers; ++a) {
    most = hn::Zero(K::d);
    best_of<T, greatest, false>(p.x + static_cast<int64_t>(a) * p.row, p.elements, most);
    decided[a] = !K::has_nan(most);
    sure += decided[a];
  }
  return sure;
}

// Folds the elements [i, i + m) of a vector of columns, or of r of its lanes.
//   whole  r is all lanes
//   four   m is 4, and i is not 0
template <class T, bool greatest, bool placed, bool whole, bool four>
HWY_INLINE HWY_ATTR void step_of_columns(const std::byte* x, int64_t step, int64_t ahead, Size i,
                                         Size m, std::size_t r, typename Keys<T>::L* to,
                                         typename Keys<T>::L* from, typename Keys<T>::VL& most) {
  using K = Keys<T>;
  using L = typename K::L;
  constexpr Size lanes = K::lanes;
  const auto element = [&](Size k) HWY_ATTR {
    const std::byte* const here = x + static_cast<int64_t>(k) * step;
    __builtin_prefetch(here + ahead);
    return whole ? K::load(here) : K::load_some(here, r);
  };
  const auto over_rows = [&](auto take) HWY_ATTR {
    if constexpr (four) {
#pragma GCC unroll 4
      for (Size k = 0; k < 4; ++k) take(k);
    } else {
      for (Size k = i == 0 ? 1 : 0; k < m; ++k) take(k);
    }
  };
  const std::byte* const before = reinterpret_cast<const std::byte*>(to);
  auto best = !four && i == 0 ? element(0) : whole ? K::load(before) : K::load_some(before, r);
  if constexpr (placed) {
    if (i == 0) most = K::magnitude(most, best);
    best = K::turn(best);
    auto place = i == 0 ? hn::Zero(K::d) : hn::LoadU(K::d, from);
    over_rows([&](Size k) HWY_ATTR {
      const auto v = element(k);
      most = K::magnitude(most, v);
      const auto key = K::turn(v);
      const auto win = greatest ? hn::Gt(key, best) : hn::Lt(key, best);
      place = hn::IfThenElse(win, hn::Set(K::d, static_cast<L>(i + k)), place);
      best = better<K, greatest>(best, key);
    });
    best = K::turn(best);
    hn::StoreU(place, K::d, from);
  } else {
    auto end = End<T, greatest>::of(best);
    over_rows([&](Size k) HWY_ATTR { end.take(element(k)); });
    most = end.magnitude(most);
    best = end.value();
  }
  if (whole) {
    hn::StoreU(best, K::d, to);
  } else {
    L pad[lanes];
    hn::StoreU(best, K::d, pad);
    std::memcpy(to, pad, r * sizeof(L));
  }
}

template <class T, bool greatest, bool placed>
HWY_ATTR Size columns_of(const Panel& p, std::byte* values, int64_t* places, uint8_t* decided) {
  using K = Keys<T>;
  constexpr Size lanes = K::lanes;
  auto most = hn::Zero(K::d);
  using L = typename K::L;
  const int64_t step = p.element, ahead = ahead_of_columns(step);
  // The row of each best element, in integers as wide as the keys.
  std::vector<L> from(placed ? p.answers + lanes : 0);
  L* const to = reinterpret_cast<L*>(values);
  const Size rows = rows_a_step(p.elements);
  for (Size i = 0; i < p.elements; i += rows) {
    const Size m = p.elements - i < rows ? p.elements - i : rows;
    const std::byte* row = p.x + static_cast<int64_t>(i) * step;
    const auto fold = [&]<bool whole, bool four>(std::bool_constant<whole>,
                                                 std::bool_constant<four>, Size a,
                                                 std::size_t r) HWY_ATTR {
      step_of_columns<T, greatest, placed, whole, four>(row + a * sizeof(T), step, ahead, i, m, r,
                                                        to + a, from.data() + a, most);
    };
    Size a = 0;
    if (m == 4 && i != 0) {
      for (; a + lanes <= p.answers; a += lanes) fold(std::true_type(), std::true_type(), a, lanes);
    }
    for (; a + lanes <= p.answers; a += lanes) fold(std::true_type(), std::false_type(), a, lanes);
    if (a == p.answers) continue;
    if (m == 4 && i != 0) {
      fold(std::false_type(), std::true_type(), a, p.answers - a);
    } else {
      fold(std::false_type(), std::false_type(), a, p.answers - a);
    }
  }
  if constexpr (placed) std::copy_n(from.begin(), p.answers, places);
  if (HWY_LIKELY(!K::has_nan(most))) return p.answers;
  Size sure = 0;
  for (Size a = 0; a < p.answers; ++a) {
    decided[a] = 1;
    for (Size i = 0; i < p.elements && decided[a] != 0; ++i) {
      typename K::Element x;
      std::memcpy(&x, p.x + static_cast<int64_t>(i) * p.element + a * sizeof(T), sizeof x);
      if constexpr (K::floating) decided[a] = !decode(x).nan;
    }
    sure += decided[a];
  }
  return sure;
}

template <class T, bool greatest>
HWY_ATTR Size columns(const Panel& p, std::byte* values, int64_t* places, uint8_t* decided) {
  if constexpr (Keys<T>::has_places) {
    if (places != nullptr) return columns_of<T, greatest, true>(p, values, places, decided);
  }
  return columns_of<T, greatest, false>(p, values, places, decided);
}

template <class T>
constexpr PanelExtremes::Ways magnitudes() {
  if constexpr (Floating<T>) {
    return {rows<Magnitude<T>, true>, columns<Magnitude<T>, true>};
  } else {
    return {};
  }
}

template <class T>
constexpr PanelExtremes gathers{{rows<T, false>, columns<T, false>},
                                {rows<T, true>, columns<T, true>},
                                magnitudes<T>(),
                                Size{1} << (8 * sizeof(T) - 1)};

const PanelExtremes* find(DType t) {
  return visit(t, []<class T>() -> const PanelExtremes* { return &gathers<T>; });
}

}  // namespace panel_extremes_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

const PanelExtremes* panel_extremes([[maybe_unused]] Target target, [[maybe_unused]] DType t) {
  ONEFOLD_OF_TARGET(target, panel_extremes_of::find(t));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
