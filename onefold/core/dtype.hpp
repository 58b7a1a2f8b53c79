// Element types: the C++ types, their run-time names, and the layout of the floating-point ones.
#pragma once

#include "onefold/core/base.hpp"

namespace onefold {

// IEEE 754 binary16 and bfloat16 as their bits. These types have no arithmetic.
struct float16 {
  uint16_t bits;
  ONEFOLD_FN friend constexpr bool operator==(float16 a, float16 b) { return a.bits == b.bits; }
  ONEFOLD_FN friend constexpr bool operator!=(float16 a, float16 b) { return a.bits != b.bits; }
};
struct bfloat16 {
  uint16_t bits;
  ONEFOLD_FN friend constexpr bool operator==(bfloat16 a, bfloat16 b) { return a.bits == b.bits; }
  ONEFOLD_FN friend constexpr bool operator!=(bfloat16 a, bfloat16 b) { return a.bits != b.bits; }
};
// A bool in memory: any byte but 0 is true. (A C++ bool with another byte is undefined.)
struct Bool8 {
  uint8_t byte;
  ONEFOLD_FN friend constexpr bool operator==(Bool8 a, Bool8 b) { return a.byte == b.byte; }
  ONEFOLD_FN friend constexpr bool operator!=(Bool8 a, Bool8 b) { return a.byte != b.byte; }
};

enum class Kind : uint8_t { boolean, signed_integer, unsigned_integer, floating };

enum class DType : uint8_t {
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) name,
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
};

// Constants such as onefold::f32 name element types in places where C++ needs a value.
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) inline constexpr DType name = DType::name;
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE

inline constexpr int dtype_count = 0
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) +1
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
    ;

// The run-time name of a C++ element type; for C++'s own `bool` it is `boolean`.
template <class T>
inline constexpr bool is_element = false;
template <class T>
inline constexpr DType dtype_of = DType::boolean;
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) \
  template <>                                            \
  inline constexpr bool is_element<type> = true;         \
  template <>                                            \
  inline constexpr DType dtype_of<type> = DType::name;
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
template <>
inline constexpr bool is_element<bool> = true;

// Looks types up in tables that fit a word, since device compilers turn a switch into a chain of
// branches.
static_assert(dtype_count <= 16);
ONEFOLD_FN constexpr Kind kind_of(DType t) {
  constexpr uint64_t kinds = 0
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) \
  | static_cast<uint64_t>(Kind::kind) << 4 * static_cast<int>(DType::name)
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
      ;
  return static_cast<Kind>(kinds >> 4 * (static_cast<int>(t) & 15) & 15);
}

ONEFOLD_FN constexpr bool is_floating(DType t) { return kind_of(t) == Kind::floating; }
ONEFOLD_FN constexpr bool is_integer(DType t) {
  return kind_of(t) == Kind::signed_integer || kind_of(t) == Kind::unsigned_integer;
}

ONEFOLD_FN constexpr unsigned bytes_of(DType t) {
  constexpr uint64_t sizes = 0
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) \
  | uint64_t{bytes} << 4 * static_cast<int>(DType::name)
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
      ;
  return static_cast<unsigned>(sizes >> 4 * (static_cast<int>(t) & 15) & 15);
}

ONEFOLD_FN constexpr const char* name_of(DType t) {
  switch (t) {
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) \
  case DType::name:                                      \
    return spelling;
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  }
  return "?";
}

// Calls f.template operator()<T>() with the element type that `t` names.
template <class F>
ONEFOLD_FN constexpr decltype(auto) visit(DType t, F&& f) {
  switch (t) {
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) \
  case DType::name:                                      \
    return f.template operator()<type>();
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  }
  return f.template operator()<double>();
}

// A binary floating-point format. `unit` is the exponent of its smallest subnormal: every finite
// value is an integer times 2^unit and below 2^top.
struct FloatFormat {
  int mantissa_bits;  // stored bits, without the hidden one
  int exponent_bits;
  int unit;
  int top;

  // Bits of -0, of +infinity, and of the NaN that stands for all.
  ONEFOLD_FN constexpr uint64_t sign() const {
    return uint64_t{1} << (mantissa_bits + exponent_bits);
  }
  ONEFOLD_FN constexpr uint64_t infinity() const {
    return ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  ONEFOLD_FN constexpr uint64_t nan() const {
    return infinity() | uint64_t{1} << (mantissa_bits - 1);
  }
};

ONEFOLD_FN constexpr FloatFormat float_format(DType t) {
  const int bits = t == DType::f16 || t == DType::bf16 ? 16 : t == DType::f32 ? 32 : 64;
  const int mantissa = t == DType::f16 ? 10 : t == DType::bf16 ? 7 : t == DType::f32 ? 23 : 52;
  const int exponent = bits - 1 - mantissa, top = 1 << (exponent - 1);
  return {mantissa, exponent, 2 - top - mantissa, top};
}

template <class T>
inline constexpr bool Floating = is_element<T>&& is_floating(dtype_of<T>);

namespace detail {
template <unsigned bytes>
struct Bits;
template <>
struct Bits<1> {
  using type = uint8_t;
};
template <>
struct Bits<2> {
  using type = uint16_t;
};
template <>
struct Bits<4> {
  using type = uint32_t;
};
template <>
struct Bits<8> {
  using type = uint64_t;
};
}  // namespace detail
template <class T>
using bits_of = typename detail::Bits<sizeof(T)>::type;

// The parts of a floating-point number: (-1)^negative * mantissa * 2^(format.unit + shift).
struct Decoded {
  uint64_t mantissa;
  int shift;
  bool negative;
  bool nan;
  bool infinite;
  ONEFOLD_FN constexpr bool finite() const { return !nan && !infinite; }
  ONEFOLD_FN constexpr bool zero() const { return finite() && mantissa == 0; }
};

template <class T>
ONEFOLD_FN constexpr Decoded decode(T x) {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  const uint64_t bits = bit_cast<bits_of<T>>(x);
  const uint64_t fraction = bits & ((uint64_t{1} << f.mantissa_bits) - 1);
  const int exponent =
      static_cast<int>(bits >> f.mantissa_bits & ((uint64_t{1} << f.exponent_bits) - 1));
  const bool negative = (bits >> (f.mantissa_bits + f.exponent_bits)) != 0;
  if (exponent == (1 << f.exponent_bits) - 1) {
    return {0, 0, negative, fraction != 0, fraction == 0};
  }
  if (exponent == 0) return {fraction, 0, negative, false, false};
  return {fraction | uint64_t{1} << f.mantissa_bits, exponent - 1, negative, false, false};
}

}  // namespace onefold
