// The extreme that a lane holds, and the first index that has it. Also the greatest difference
// between elements of two arrays.
#pragma once

#include "onefold/core/order_key.hpp"
#include "onefold/cuda/kernel/either.hpp"
#include "onefold/cuda/kernel/quick/sums.hpp"

namespace onefold::kernel {

// Keys have 32 bits if the elements fit.
template <class T>
using KeyOf = Either<(sizeof(T) < 4 || dtype_of<T> == DType::i32 || dtype_of<T> == DType::f32),
                     int32_t, int64_t>;

template <class T>
ONEFOLD_KERNEL KeyOf<T> key_of(T x) {
  if constexpr (dtype_of<T> == DType::f32) {
    const auto b = bit_cast<int32_t>(x);
    return b ^ (b >> 31 & 0x7fffffff);
  } else if constexpr (dtype_of<T> == DType::f64) {
    const auto b = bit_cast<int64_t>(x);
    return b ^ (b >> 63 & 0x7fffffffffffffff);
  } else {
    return static_cast<KeyOf<T>>(order_key(x));
  }
}
template <class T>
ONEFOLD_KERNEL bool is_a_nan(T x) {
  if constexpr (!Floating<T>) {
    return false;
  } else if constexpr (sizeof(T) == 2) {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    return (x.bits & 0x7fffu) > ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
  } else {
    return x != x;
  }
}

// The extreme as an order key, and its index if an op needs that. NaN are noted separately.
template <class T, bool greatest, bool indexed>
struct LaneExtreme {
  using Key = KeyOf<T>;
  static constexpr Key none_yet = static_cast<Key>(greatest ? Key{1} << (8 * sizeof(Key) - 1)
                                                            : ~(Key{1} << (8 * sizeof(Key) - 1)));
  Key key = none_yet;     // no float has this key
  uint32_t at = ~0u;      // its first index, if an op needs it
  uint32_t nan_at = ~0u;  // the first NaN's index; 0 if no op needs indices

  ONEFOLD_KERNEL static bool better(Key a, Key b) { return greatest ? a > b : a < b; }
  ONEFOLD_KERNEL bool has_nan() const { return nan_at != ~0u; }
  ONEFOLD_KERNEL T value() const { return from_order_key<T>(key); }

  //   ordered   j grows from call to call
  //   there     the element counts; always true if no indices are kept
  template <bool ordered = false>
  ONEFOLD_KERNEL void add(T x, uint32_t j, bool there) {
    if constexpr (!indexed) {
      const bool nan = is_a_nan(x);
      const Key k = nan ? none_yet : key_of(x);
      if constexpr (Floating<T>) nan_at = nan ? 0 : nan_at;
      key = better(k, key) ? k : key;
      return;
    }
    const Key k = key_of(x);
    if constexpr (ordered) {
      const bool nan = there && is_a_nan(x), none = !Floating<T> && at == ~0u,
                 first = there && !nan && (none || better(k, key));
      if constexpr (Floating<T>) {
        const uint32_t here = nan ? j : ~0u;
        nan_at = here < nan_at ? here : nan_at;
      }
      key = first ? k : key;
      at = first ? j : at;
      return;
    }
    if (!there) return;
    if constexpr (Floating<T>) {
      if (is_a_nan(x)) {
        nan_at = j < nan_at ? j : nan_at;
        return;
      }
    }
    // j grows along a run, but a lane's next run may begin at a smaller j.
    const bool first = better(k, key) || (k == key && j < at);
    key = first ? k : key;
    at = first ? j : at;
  }
  ONEFOLD_KERNEL void add(const LaneExtreme& e) {
    if constexpr (indexed) {
      const bool first = better(e.key, key) || (e.key == key && e.at < at);
      key = first ? e.key : key;
      at = first ? e.at : at;
    } else {
      key = better(e.key, key) ? e.key : key;
    }
    if constexpr (Floating<T>) nan_at = e.nan_at < nan_at ? e.nan_at : nan_at;
  }
  template <class F>
  ONEFOLD_KERNEL void zip(const LaneExtreme& o, F f) {
    f(key, o.key);
    if constexpr (indexed) f(at, o.at);
    if constexpr (Floating<T>) f(nan_at, o.nan_at);
  }
};
// Floats of up to 32 bits without an index: an f32, NaN if an element is. One instruction an
// element; keys take six.
template <class T, bool greatest>
requires(Floating<T> && sizeof(T) < 8) struct LaneExtreme<T, greatest, false> {
  uint32_t bits = greatest ? 0xff800000u : 0x7f800000u;

  ONEFOLD_KERNEL float best() const { return bit_cast<float>(bits); }
  ONEFOLD_KERNEL bool has_nan() const { return best() != best(); }
  ONEFOLD_KERNEL T value() const { return exact_float<T>(best()); }
  ONEFOLD_KERNEL void add_float(float x) {
    bits = bit_cast<uint32_t>(extreme_or_nan<greatest>(best(), x));
  }
  template <bool ordered = false>
  ONEFOLD_KERNEL void add(T x, uint32_t, bool) {
    add_float(f32_of(x));
  }
  ONEFOLD_KERNEL void add(const LaneExtreme& e) { add_float(e.best()); }
  template <class F>
  ONEFOLD_KERNEL void zip(const LaneExtreme& o, F f) {
    f(bits, o.bits);
  }
};

// The greatest |x - y| of pairs. For integers of up to 32 bits it is exact. For floats it is
// rounded to T (halves: to f32) and held as its bits, which are ordered as magnitudes, NaN above
// infinities. Rounding is monotone. Rounding to f32 first gives the same half, since f32 has twice
// the digits of a half and two more (Figueroa, SIGNUM 30(3)).
template <class T>
struct GreatestDifference {
  using Real = Either<sizeof(T) == 8, double, float>;
  using Bits = typename detail::Bits<sizeof(Real)>::type;
  Bits bits = 0;

  template <class P>
  ONEFOLD_KERNEL void add_pair(const P& of) {
    if constexpr (Floating<T>) {
      const Real d = narrow(of.x) - narrow(of.y);
      add({bit_cast<Bits>(d) & ~Bits{0} >> 1});
    } else {
      const int64_t d = whole(of.x) - whole(of.y);
      add({static_cast<Bits>(d < 0 ? -d : d)});
    }
  }
  ONEFOLD_KERNEL void add(const GreatestDifference& o) { bits = o.bits > bits ? o.bits : bits; }
  template <class F>
  ONEFOLD_KERNEL void zip(const GreatestDifference& o, F f) {
    f(bits, o.bits);
  }

 private:
  ONEFOLD_KERNEL static Real narrow(T x) {
    if constexpr (sizeof(T) == 2) {
      return f32_of(x);
    } else {
      return x;
    }
  }
  ONEFOLD_KERNEL static int64_t whole(T x) {
    if constexpr (dtype_of<T> == DType::boolean) {
      return x.byte != 0 ? 1 : 0;
    } else {
      return static_cast<int64_t>(x);
    }
  }
};

}  // namespace onefold::kernel
