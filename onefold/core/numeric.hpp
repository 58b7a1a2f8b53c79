// Elements of any type as integers times a power of two.
#pragma once

#include "onefold/core/dtype.hpp"

namespace onefold {

// An element, of an integer or floating-point type, as an integer times 2^(unit + shift). For an
// infinity or NaN the mantissa is 0.
struct Numeric {
  uint64_t mantissa;
  int shift;
  bool negative;
  bool finite;
};

template <class T>
ONEFOLD_FN constexpr Numeric numeric(T x) {
  if constexpr (Floating<T>) {
    const Decoded d = decode(x);
    return {d.mantissa, d.shift, d.negative, d.finite()};
  } else if constexpr (dtype_of<T> == DType::boolean) {
    return {x.byte != 0 ? uint64_t{1} : uint64_t{0}, 0, false, true};
  } else {
    const auto wide = static_cast<uint64_t>(static_cast<int64_t>(x));
    const bool negative = kind_of(dtype_of<T>) == Kind::signed_integer && x < T{0};
    return {negative ? ~wide + 1 : wide, 0, negative, true};
  }
}

// The weight of the lowest bit of any element is 2^unit; every |element| <= 2^(unit + bits).
template <class T>
inline constexpr int unit_of = Floating<T> ? float_format(dtype_of<T>).unit : 0;
template <class T>
inline constexpr int value_bits = Floating<T> ? float_format(dtype_of<T>).top -
                                                    float_format(dtype_of<T>).unit
                                              : 64;
// The mantissa of any element is below 2^bits.
template <class T>
inline constexpr int significand_bits = Floating<T> ? float_format(dtype_of<T>).mantissa_bits + 1
                                                    : static_cast<int>(8 * sizeof(T));

template <class T>
ONEFOLD_FN constexpr bool is_nan(T x) {
  if constexpr (Floating<T>) {
    return decode(x).nan;
  } else {
    return false;
  }
}

}  // namespace onefold
