// Converts elements to integers; floats in a unit, a power of two that all elements of a fold
// share.
//
//   window  `span` binades. |x| of a window is an integer below 2^(23 + span), so 2^(40 - span) of
//           them do not overflow an int64. Windows are adjacent, and each has separate sums
//   long    elements of 64 bits are integers of 128 bits, and windows are one, so much wider
//   none    an element below the windows or above them, an infinity or a NaN has no units
//   halves  (f16 and bf16) become f32 first, exactly
#pragma once

#include "onefold/cuda/kernel/number/packed.hpp"

namespace onefold::kernel {

// Position of the windows: element x of window w is an integer m times 2^(base - zero + w span),
// with `zero` of ImageForm.
struct Windows {
  int base = 0, span = 0;
};

template <class T>
inline constexpr bool is_long = sizeof(T) == 8;

template <class T, bool wide = is_long<T>>
struct UnitInteger {
  int64_t v = 0;
  uint32_t window = 0;
  bool has = true;  // false: the element fits no window
};
template <class T>
struct UnitInteger<T, true> {
  Int128 v = 0;
  static constexpr uint32_t window = 0;
  bool has = true;
};

// Returns the bits of a float as f32 or f64.
template <class T>
ONEFOLD_KERNEL auto image_of(bits_of<T> raw) {
  if constexpr (dtype_of<T> == DType::bf16) {
    return static_cast<uint32_t>(raw) << 16;
  } else if constexpr (dtype_of<T> == DType::f16) {
    return bit_cast<uint32_t>(f32_of(float16{raw}));
  } else {
    return raw;
  }
}
// The form of an image: its biased exponent has so many bits, and mantissas of exponent e are
// multiples of 2^(e - zero).
template <class T>
struct ImageForm {
  static constexpr int mantissa_bits = is_long<T> ? 52 : 23, exponent_bits = is_long<T> ? 11 : 8,
                       infinite = (1 << exponent_bits) - 1, zero = is_long<T> ? 1075 : 150;
  ONEFOLD_KERNEL static int exponent(bits_of<T> raw) { return of_image(image_of<T>(raw)); }
  template <class B>
  ONEFOLD_KERNEL static int of_image(B image) {
    return static_cast<int>(image >> mantissa_bits & infinite);
  }
};

template <class T>
ONEFOLD_KERNEL bool is_nan(bits_of<T> raw) {
  if constexpr (Floating<T>) {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    using B = bits_of<T>;
    constexpr B infinity = ((B{1} << f.exponent_bits) - 1) << f.mantissa_bits,
                sign = static_cast<B>(B{1} << (8 * sizeof(T) - 1));
    return (raw & static_cast<B>(~sign)) > infinity;
  } else {
    return false;
  }
}

// Converts an element to units of one of `count` windows; an element that does not exist to 0.
template <class T, int count>
ONEFOLD_KERNEL UnitInteger<T> in_units(bits_of<T> raw, const Windows& windows, bool there) {
  UnitInteger<T> u;
  if constexpr (Floating<T>) {
    using Form = ImageForm<T>;
    const auto b = image_of<T>(raw);
    using B = decltype(b + 0);
    const int field = Form::of_image(b);
    auto mantissa = static_cast<uint64_t>(b & ((B{1} << Form::mantissa_bits) - 1));
    if (field != 0) mantissa |= uint64_t{1} << Form::mantissa_bits;
    int shift = (field == 0 ? 1 : field) - windows.base;
    if constexpr (is_long<T>) {
      const bool in =
          there && static_cast<uint32_t>(shift) < static_cast<uint32_t>(count * windows.span);
      u.v = static_cast<Int128>(in ? mantissa : 0) << (in ? shift : 0);
      if (static_cast<int64_t>(b) < 0) u.v = -u.v;
      u.has = in || mantissa == 0 || !there;
      return u;
    } else {
      ONEFOLD_UNROLL
      for (int w = 1; w < count; ++w) {
        if (shift < windows.span) continue;
        shift -= windows.span;
        u.window = static_cast<uint32_t>(w);
      }
      const bool in = there && static_cast<uint32_t>(shift) < static_cast<uint32_t>(windows.span);
      if (count > 1 && !in) u.window = 0;
      const uint64_t magnitude = (in ? mantissa : 0) << (in ? shift : 0);
      const auto sign = static_cast<int64_t>(static_cast<int32_t>(b) >> 31);
      u.v = (static_cast<int64_t>(magnitude) ^ sign) - sign;
      u.has = in || mantissa == 0 || !there;
    }
  } else if constexpr (dtype_of<T> == DType::boolean) {
    u.v = there && raw != 0 ? 1 : 0;
  } else if constexpr (kind_of(dtype_of<T>) == Kind::signed_integer) {
    u.v = there ? bit_cast<T>(raw) : T{0};
  } else {
    u.v = there ? raw : bits_of<T>{0};
  }
  return u;
}

}  // namespace onefold::kernel
