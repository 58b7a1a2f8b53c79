// Converts elements of up to 32 bits to integers of 64 bits; floats in a unit, a power of two that
// all elements of a fold share.
//
//   window  `span` binades. |x| of a window is an integer below 2^(23 + span), so 2^(40 - span) of
//           them do not overflow an int64. Windows are adjacent, and each has separate sums
//   none    an element below the windows or above them, an infinity or a NaN has no units
//   halves  (f16 and bf16) become f32 first, exactly
#pragma once

#include "onefold/cuda/kernel/number/packed.hpp"

namespace onefold::kernel {

// Position of the windows: element x of window w is an integer m times 2^(base - 150 + w span).
struct Windows {
  int base = 0, span = 0;
};

struct UnitInteger {
  int64_t v = 0;
  uint32_t window = 0;
  bool has = true;  // false: the element fits no window
};

// Returns the biased exponent of an f32; then the bits of an element as f32.
ONEFOLD_KERNEL int exponent_field(uint32_t f32) { return static_cast<int>(f32 >> 23 & 255); }
template <class T>
ONEFOLD_KERNEL uint32_t f32_bits(bits_of<T> raw) {
  if constexpr (dtype_of<T> == DType::bf16) {
    return static_cast<uint32_t>(raw) << 16;
  } else if constexpr (dtype_of<T> == DType::f16) {
    return bit_cast<uint32_t>(f32_of(float16{raw}));
  } else {
    return raw;
  }
}

template <class T>
ONEFOLD_KERNEL bool is_nan(bits_of<T> raw) {
  if constexpr (Floating<T>) {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    constexpr uint32_t infinity = ((uint32_t{1} << f.exponent_bits) - 1) << f.mantissa_bits,
                       sign = uint32_t{1} << (8 * sizeof(T) - 1);
    return (raw & ~sign) > infinity;
  } else {
    return false;
  }
}

// Converts an element to units of one of `count` windows; an element that does not exist to 0.
template <class T, int count>
ONEFOLD_KERNEL UnitInteger in_units(bits_of<T> raw, const Windows& windows, bool there) {
  static_assert(sizeof(T) <= 4);
  UnitInteger u;
  if constexpr (Floating<T>) {
    const uint32_t b = f32_bits<T>(raw);
    const int field = exponent_field(b);
    uint32_t mantissa = b & 0x7fffff;
    if (field != 0) mantissa |= 0x800000;
    int shift = (field == 0 ? 1 : field) - windows.base;
    ONEFOLD_UNROLL
    for (int w = 1; w < count; ++w) {
      if (shift < windows.span) continue;
      shift -= windows.span;
      u.window = static_cast<uint32_t>(w);
    }
    const bool in = there && static_cast<uint32_t>(shift) < static_cast<uint32_t>(windows.span);
    if (count > 1 && !in) u.window = 0;
    const uint64_t magnitude = uint64_t{in ? mantissa : 0} << (in ? shift : 0);
    const auto sign = static_cast<int64_t>(static_cast<int32_t>(b) >> 31);
    u.v = (static_cast<int64_t>(magnitude) ^ sign) - sign;
    u.has = in || mantissa == 0 || !there;
  } else if constexpr (dtype_of<T> == DType::boolean) {
    u.v = there && raw != 0 ? 1 : 0;
  } else if constexpr (kind_of(dtype_of<T>) == Kind::signed_integer) {
    u.v = there ? int64_t{bit_cast<T>(raw)} : 0;
  } else {
    u.v = there ? int64_t{raw} : 0;
  }
  return u;
}

}  // namespace onefold::kernel
