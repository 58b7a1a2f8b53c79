// Maps elements to int64 keys in their total order (for floats ... < -0 < +0 < ...), and back.
#pragma once

#include "onefold/core/dtype.hpp"

namespace onefold {

template <class T>
ONEFOLD_FN constexpr int64_t order_key(T x) {
  if constexpr (Floating<T>) {
    // Larger bits of a negative number mean a smaller value, so all bits but the sign are flipped.
    constexpr int sign = 8 * sizeof(T) - 1;
    const auto bits = bit_cast<bits_of<T>>(x);
    const auto magnitude = static_cast<int64_t>(bits & ((uint64_t{1} << sign) - 1));
    return (bits >> sign) != 0 ? ~magnitude : magnitude;
  } else if constexpr (dtype_of<T> == DType::boolean) {
    return x.byte != 0;
  } else if constexpr (dtype_of<T> == DType::u64) {
    return static_cast<int64_t>(x ^ uint64_t{1} << 63);
  } else {
    return x;
  }
}

// Returns the element's value as the bits of its type.
template <class T>
ONEFOLD_FN constexpr T from_order_key(int64_t key) {
  if constexpr (Floating<T>) {
    constexpr int sign = 8 * sizeof(T) - 1;
    const uint64_t bits =
        key < 0 ? static_cast<uint64_t>(~key) | uint64_t{1} << sign : static_cast<uint64_t>(key);
    return bit_cast<T>(static_cast<bits_of<T>>(bits));
  } else if constexpr (dtype_of<T> == DType::boolean) {
    return Bool8{static_cast<uint8_t>(key)};
  } else if constexpr (dtype_of<T> == DType::u64) {
    return static_cast<uint64_t>(key) ^ uint64_t { 1 } << 63;
  } else {
    return static_cast<T>(key);
  }
}

}  // namespace onefold
