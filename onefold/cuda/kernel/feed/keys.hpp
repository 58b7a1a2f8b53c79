// Maps elements to order keys; keeps the best key and the first tile that has it.
#pragma once

#include "onefold/core/order_key.hpp"
#include "onefold/cuda/kernel/either.hpp"
#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// All tile numbers are smaller than this.
inline constexpr uint32_t no_tile = ~0u;

// Order keys with as many bits as the elements have.
template <class T>
struct Keys {
  using Key = Either<sizeof(T) == 8, int64_t, int32_t>;
  static constexpr bool shifted = dtype_of<T> == DType::u32;

  ONEFOLD_KERNEL static Key of(T x) {
    if constexpr (shifted) {
      return static_cast<Key>(x ^ 0x80000000u);
    } else {
      return static_cast<Key>(order_key(x));
    }
  }
  ONEFOLD_KERNEL static int64_t order_key_of(Key k) {
    return static_cast<int64_t>(k) + (shifted ? int64_t{1} << 31 : 0);
  }
  // Returns the keys of +inf and -inf; keys beyond them belong to NaN.
  static constexpr Key infinity() {
    if constexpr (Floating<T>) {
      constexpr FloatFormat f = float_format(dtype_of<T>);
      return static_cast<Key>(f.infinity());
    } else {
      return 0;
    }
  }
  ONEFOLD_KERNEL static bool nan(Key k) {
    return Floating<T> && (k > infinity() || k < ~infinity());
  }
};

// The better of two keys is the smaller one; for equal keys, the earlier tile is better.
template <class Key>
struct Best {
  Key key;
  uint32_t tile;

  ONEFOLD_KERNEL void meet(Key k, uint32_t t) {
    if (t != no_tile && (tile == no_tile || k < key || (k == key && t < tile))) {
      key = k;
      tile = t;
    }
  }
};

}  // namespace onefold::kernel
