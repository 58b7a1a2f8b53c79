// onefold_exact.hpp 0.1.0: exact sums, rounded once, in one file. C++17; host, CUDA and NVRTC.
// Made by cmake/single.py of Onefold; change the headers that it joins instead.
//
//   origin    https://onefold.invalid, single/onefold_exact.hpp
//   revision  d151c02b66cc29b1 (of the code's SHA-256): git log -S d151c02b66cc29b1 finds its commit
//
// MIT License
//
// Copyright (c) 2026 Onefold contributors
//
// Permission is hereby granted, free of charge, to any person obtaining a copy
// of this software and associated documentation files (the "Software"), to deal
// in the Software without restriction, including without limitation the rights
// to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
// copies of the Software, and to permit persons to whom the Software is
// furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all
// copies or substantial portions of the Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
// IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
// FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
// AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
// LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
// OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
// SOFTWARE.
//
// An example; g++ -std=c++17 example.cpp
//
//   #include <cstdio>
//
//   #include "onefold_exact.hpp"
//
//   int main() {
//     const double x[] = {1e16, 1, -1e16, 0.1};
//     onefold::ExactSum<double> a, b;
//     a.add(x, 2);
//     b.add(x[2]);
//     b.add(x[3]);
//     a.merge(b);                               // any parts, in any order: the same bits
//     std::printf("sum   %.17g\n", a.value());  // 1.1000000000000001; a loop gives 0.10000000000000001
//     if (!a.remove(b)) return 1;               // exact, too
//     std::printf("begin %.17g\n", a.value());  // 10000000000000001 rounded: 10000000000000000
//
//     onefold::ExactVar<float> v;
//     const float y[] = {2, 4, 4, 4, 5, 5, 7, 9};
//     v.add(y, 8);
//     std::printf("mean  %g, var %.9g, std of the population %g\n", v.mean(), v.var(1), v.std());
//
//     unsigned char bytes[decltype(a)::saved_bytes()];
//     a.save(bytes);  // what Onefold's library, program and Python package load
//     std::printf("state %d bytes\n", static_cast<int>(sizeof bytes));
//   }
#ifndef ONEFOLD_EXACT_HPP
#define ONEFOLD_EXACT_HPP
#define ONEFOLD_EXACT_VERSION "0.1.0"
#define ONEFOLD_EXACT_REVISION "d151c02b66cc29b1"

#if defined(ONEFOLD_FN)
#error "a source file includes either onefold_exact.hpp or the headers of the library"
#endif
#if defined(_MSVC_LANG)
#if _MSVC_LANG < 201703L
#error "onefold_exact.hpp needs C++17: /std:c++17"
#endif
#elif __cplusplus < 201703L
#error "onefold_exact.hpp needs C++17: -std=c++17"
#endif

#define ONEFOLD_DTYPES \
  ONEFOLD_DTYPE(boolean, "bool", Bool8, boolean, 1) \
  ONEFOLD_DTYPE(i8, "i8", int8_t, signed_integer, 1) \
  ONEFOLD_DTYPE(i16, "i16", int16_t, signed_integer, 2) \
  ONEFOLD_DTYPE(i32, "i32", int32_t, signed_integer, 4) \
  ONEFOLD_DTYPE(i64, "i64", int64_t, signed_integer, 8) \
  ONEFOLD_DTYPE(u8, "u8", uint8_t, unsigned_integer, 1) \
  ONEFOLD_DTYPE(u16, "u16", uint16_t, unsigned_integer, 2) \
  ONEFOLD_DTYPE(u32, "u32", uint32_t, unsigned_integer, 4) \
  ONEFOLD_DTYPE(u64, "u64", uint64_t, unsigned_integer, 8) \
  ONEFOLD_DTYPE(f16, "f16", float16, floating, 2) \
  ONEFOLD_DTYPE(bf16, "bf16", bfloat16, floating, 2) \
  ONEFOLD_DTYPE(f32, "f32", float, floating, 4) \
  ONEFOLD_DTYPE(f64, "f64", double, floating, 8)

// The inline namespace of all names. It has a digit for each instruction set that the compiler may
// use, so source files with different -m flags share no function: a linker would keep one of the
// two. Device code and its host code must agree on names, so these have no digits. A name of your
// own replaces this one.
#if !defined(ONEFOLD_EXACT_NAMESPACE)
#define ONEFOLD_1 0,
#define ONEFOLD_SECOND(a, b, ...) b
#define ONEFOLD_EXPANDED(x) x
#define ONEFOLD_IS_ONE(first) ONEFOLD_EXPANDED(ONEFOLD_SECOND(first 1, 0, 0))
#define ONEFOLD_PASTED(v) ONEFOLD_IS_ONE(ONEFOLD_##v)
#define ONEFOLD_ON(v) ONEFOLD_PASTED(v)
#define ONEFOLD_JOINED(a, b, c, d, e, f, g, h, i) a##b##c##d##e##f##g##h##i
#define ONEFOLD_JOIN(a, b, c, d, e, f, g, h, i) ONEFOLD_JOINED(a, b, c, d, e, f, g, h, i)
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define ONEFOLD_INLINE_NAME file_0_1_0_
#else
#define ONEFOLD_INLINE_NAME file_0_1_0_no_exceptions_
#endif
#if defined(__CUDACC__) || defined(__HIP__)
#define ONEFOLD_EXACT_NAMESPACE file_0_1_0
#elif defined(__x86_64__) || defined(__i386__) || defined(_M_X64) || defined(_M_IX86)
#define ONEFOLD_TARGET_1 \
  ONEFOLD_JOIN(ONEFOLD_INLINE_NAME, \
    ONEFOLD_ON(__SSE__), ONEFOLD_ON(__SSE2__), \
    ONEFOLD_ON(__SSE3__), ONEFOLD_ON(__SSSE3__), \
    ONEFOLD_ON(__SSE4_1__), ONEFOLD_ON(__SSE4_2__), \
    ONEFOLD_ON(__POPCNT__), ONEFOLD_ON(__LZCNT__))
#define ONEFOLD_TARGET_2 \
  ONEFOLD_JOIN(ONEFOLD_TARGET_1, \
    ONEFOLD_ON(__BMI__), ONEFOLD_ON(__BMI2__), \
    ONEFOLD_ON(__MOVBE__), ONEFOLD_ON(__ADX__), \
    ONEFOLD_ON(__F16C__), ONEFOLD_ON(__AVX__), \
    ONEFOLD_ON(__FMA__), ONEFOLD_ON(__FMA4__))
#define ONEFOLD_TARGET_3 \
  ONEFOLD_JOIN(ONEFOLD_TARGET_2, \
    ONEFOLD_ON(__XOP__), ONEFOLD_ON(__TBM__), \
    ONEFOLD_ON(__AVX2__), ONEFOLD_ON(__AVX512F__), \
    ONEFOLD_ON(__AVX512CD__), ONEFOLD_ON(__AVX512BW__), \
    ONEFOLD_ON(__AVX512DQ__), ONEFOLD_ON(__AVX512VL__))
#define ONEFOLD_EXACT_NAMESPACE \
  ONEFOLD_JOIN(ONEFOLD_TARGET_3, \
    ONEFOLD_ON(__AVX512IFMA__), ONEFOLD_ON(__AVX512VBMI__), \
    ONEFOLD_ON(__AVX512VBMI2__), ONEFOLD_ON(__AVX512VNNI__), \
    ONEFOLD_ON(__AVX512BITALG__), ONEFOLD_ON(__AVX512VPOPCNTDQ__), \
    ONEFOLD_ON(__APX_F__), ONEFOLD_ON(__AVXVNNI__))
#else
#define ONEFOLD_EXACT_NAMESPACE \
  ONEFOLD_JOIN(ONEFOLD_INLINE_NAME, \
    ONEFOLD_ON(__ARM_FEATURE_SVE), ONEFOLD_ON(__ARM_FEATURE_SVE2), \
    ONEFOLD_ON(__ARM_FEATURE_DOTPROD), ONEFOLD_ON(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC), \
    ONEFOLD_ON(__ARM_NEON), ONEFOLD_ON(__riscv_vector), \
    ONEFOLD_ON(__VSX__), ONEFOLD_ON(__wasm_simd128__))
#endif
#endif

// Names that every other header uses. Includes no header under NVRTC: run-time compilation is 10
// times slower with system headers.

#if defined(__CUDACC_RTC__)
namespace onefold {
inline namespace ONEFOLD_EXACT_NAMESPACE {
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
}
}  // namespace onefold
#else
#include <cstddef>
#include <cstdint>
#endif

#if defined(__CUDACC__) && (!defined(__CUDACC_RTC__) || defined(ONEFOLD_EXACT_HPP))
#define ONEFOLD_FN __host__ __device__
#else
#define ONEFOLD_FN
#endif

// The one file (cmake/single.py) must do without NVRTC's option for __int128.
#if defined(__CUDACC__) && !defined(ONEFOLD_EXACT_HPP)
#define ONEFOLD_INT128
#elif defined(__SIZEOF_INT128__)
#define ONEFOLD_INT128 __extension__  // -Wpedantic would warn without it
#else

// An unsigned integer of 128 bits for compilers without __int128, such as MSVC, with what exact
// sums need: products and shifts are quick, quotients take 128 steps. For base.hpp.

namespace onefold {
inline namespace ONEFOLD_EXACT_NAMESPACE {

struct Uint128 {
  uint64_t low = 0, high = 0;

  constexpr Uint128() = default;
  ONEFOLD_FN constexpr Uint128(unsigned v) : low(v) {}
  ONEFOLD_FN constexpr Uint128(unsigned long v) : low(v) {}
  ONEFOLD_FN constexpr Uint128(unsigned long long v) : low(v) {}
  ONEFOLD_FN constexpr Uint128(int v) : Uint128(static_cast<long long>(v)) {}
  ONEFOLD_FN constexpr Uint128(long v) : Uint128(static_cast<long long>(v)) {}
  ONEFOLD_FN constexpr Uint128(long long v)
      : low(static_cast<uint64_t>(v)), high(v < 0 ? ~uint64_t{0} : uint64_t{0}) {}
  ONEFOLD_FN constexpr explicit operator bool() const { return (low | high) != 0; }
  template <class Integer>
  ONEFOLD_FN constexpr explicit operator Integer() const {
    return static_cast<Integer>(low);
  }

  ONEFOLD_FN friend constexpr bool operator==(Uint128 a, Uint128 b) {
    return a.low == b.low && a.high == b.high;
  }
  ONEFOLD_FN friend constexpr bool operator!=(Uint128 a, Uint128 b) { return !(a == b); }
  ONEFOLD_FN friend constexpr bool operator<(Uint128 a, Uint128 b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  }
  ONEFOLD_FN friend constexpr bool operator>(Uint128 a, Uint128 b) { return b < a; }
  ONEFOLD_FN friend constexpr bool operator<=(Uint128 a, Uint128 b) { return !(b < a); }
  ONEFOLD_FN friend constexpr bool operator>=(Uint128 a, Uint128 b) { return !(a < b); }

  ONEFOLD_FN friend constexpr Uint128 operator~(Uint128 a) { return make(~a.high, ~a.low); }
  ONEFOLD_FN friend constexpr Uint128 operator|(Uint128 a, Uint128 b) {
    return make(a.high | b.high, a.low | b.low);
  }
  ONEFOLD_FN friend constexpr Uint128 operator&(Uint128 a, Uint128 b) {
    return make(a.high & b.high, a.low & b.low);
  }
  ONEFOLD_FN friend constexpr Uint128 operator<<(Uint128 a, int k) {
    if (k == 0) return a;
    if (k >= 64) return make(a.low << (k - 64), 0);
    return make(a.high << k | a.low >> (64 - k), a.low << k);
  }
  ONEFOLD_FN friend constexpr Uint128 operator>>(Uint128 a, int k) {
    if (k == 0) return a;
    if (k >= 64) return make(0, a.high >> (k - 64));
    return make(a.high >> k, a.low >> k | a.high << (64 - k));
  }
  ONEFOLD_FN friend constexpr Uint128 operator+(Uint128 a, Uint128 b) {
    const uint64_t low = a.low + b.low;
    return make(a.high + b.high + (low < a.low ? 1 : 0), low);
  }
  ONEFOLD_FN friend constexpr Uint128 operator-(Uint128 a, Uint128 b) {
    return make(a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low);
  }
  ONEFOLD_FN friend constexpr Uint128 operator*(Uint128 a, Uint128 b) {
    constexpr uint64_t digit = 0xffffffff;
    const uint64_t a0 = a.low & digit, a1 = a.low >> 32, b0 = b.low & digit, b1 = b.low >> 32;
    const uint64_t low = a0 * b0, one = a1 * b0 + (low >> 32), two = a0 * b1 + (one & digit);
    return make(a1 * b1 + (one >> 32) + (two >> 32) + a.high * b.low + a.low * b.high,
                two << 32 | (low & digit));
  }
  ONEFOLD_FN friend constexpr Uint128 operator/(Uint128 a, Uint128 b) { return a.divide(b); }
  ONEFOLD_FN friend constexpr Uint128 operator%(Uint128 a, Uint128 b) {
    a.divide(b);
    return a;
  }

  ONEFOLD_FN constexpr Uint128& operator+=(Uint128 b) { return *this = *this + b; }
  ONEFOLD_FN constexpr Uint128& operator-=(Uint128 b) { return *this = *this - b; }
  ONEFOLD_FN constexpr Uint128& operator*=(Uint128 b) { return *this = *this * b; }
  ONEFOLD_FN constexpr Uint128& operator<<=(int k) { return *this = *this << k; }
  ONEFOLD_FN constexpr Uint128& operator>>=(int k) { return *this = *this >> k; }
  ONEFOLD_FN constexpr Uint128& operator--() { return *this -= 1; }

 private:
  ONEFOLD_FN static constexpr Uint128 make(uint64_t high, uint64_t low) {
    Uint128 r;
    r.high = high;
    r.low = low;
    return r;
  }
  // Returns the quotient, and leaves the remainder.
  ONEFOLD_FN constexpr Uint128 divide(Uint128 b) {
    Uint128 quotient, rest;
    for (int k = 127; k >= 0; --k) {
      const bool carry = rest.high >> 63 != 0;
      rest = (rest << 1) | ((*this >> k) & 1);
      quotient <<= 1;
      if (carry || rest >= b) {
        rest -= b;
        quotient.low |= 1;
      }
    }
    *this = rest;
    return quotient;
  }
};

}
}  // namespace onefold
#endif

namespace onefold {
inline namespace ONEFOLD_EXACT_NAMESPACE {

// Element counts and indices: 64 bits everywhere, arrays pass 2^31 elements.
using Size = uint64_t;

#if defined(ONEFOLD_INT128)
ONEFOLD_INT128 typedef __int128 Int128;
ONEFOLD_INT128 typedef unsigned __int128 Uint128;
#endif

inline constexpr int64_t int64_max = 0x7fffffffffffffff;

// The index that stands for "no element".
inline constexpr Size none = ~Size{0};

template <class To, class From>
ONEFOLD_FN constexpr To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

// 2^e as f64; -1022 <= e <= 1023.
ONEFOLD_FN constexpr double power_of_two(int e) {
  return bit_cast<double>(static_cast<uint64_t>(e + 1023) << 52);
}

// Number of bits of `v`; 0 for 0.
ONEFOLD_FN constexpr int bit_length(uint64_t v) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) return 64 - __clzll(static_cast<long long>(v));
  int n = 0;
  for (; v != 0; v >>= 1) ++n;
  return n;
#elif defined(__GNUC__) || defined(__clang__)
  return v == 0 ? 0 : 64 - __builtin_clzll(v);
#else
  int n = 0;
  for (int half = 32; half != 0; half /= 2) {
    if (v >> half == 0) continue;
    v >>= half;
    n += half;
  }
  return n + static_cast<int>(v);
#endif
}
ONEFOLD_FN constexpr int bit_length(Uint128 v) {
  const auto high = static_cast<uint64_t>(v >> 64);
  return high != 0 ? 64 + bit_length(high) : bit_length(static_cast<uint64_t>(v));
}

// Exact fixed-point numbers as int64 words: limb k has weight 2^(unit + 32 k).
//
//   add      digits are below 2^32, so up to 2^31 deposits or merges fit before a carry pass
//   merge    adds int64 word by word, in any order: any split of the data gives the same sum
//   carry    afterwards every limb but the last is in [0, 2^32); equal values are equal words
//   source   Neal, arXiv 1505.05571 (small superaccumulator), with 32-bit digits in 64-bit limbs

// Passes the digits of (-1)^negative * magnitude * 2^position to `add(word, value)`. position >= 0
// counts from the weight of limb 0.
template <class Sink>
ONEFOLD_FN constexpr void deposit(Sink&& add, Uint128 magnitude, bool negative, int position) {
  int k = position >> 5;
  const int r = position & 31;
  // The first digit takes the low 32 - r bits, so that the remaining bits begin at a limb.
  uint64_t digit = (static_cast<uint64_t>(magnitude) << r) & 0xffffffffu;
  magnitude >>= 32 - r;
  for (;;) {
    const auto value = static_cast<int64_t>(digit);
    if (value != 0) add(k, negative ? -value : value);
    if (magnitude == 0) return;
    digit = static_cast<uint64_t>(magnitude) & 0xffffffffu;
    magnitude >>= 32;
    ++k;
  }
}

// Does the same for a magnitude of any length, given as digits of 32 bits, the lowest first.
template <class Sink, int n>
ONEFOLD_FN constexpr void deposit(Sink&& add, const uint32_t (&magnitude)[n], bool negative,
                                  int position) {
  uint64_t two = 0;
  for (int k = 0; k <= n; ++k) {
    two = (two >> 32) | (k < n ? uint64_t{magnitude[k]} << (position & 31) : 0);
    const auto value = static_cast<int64_t>(two & 0xffffffffu);
    if (value != 0) add((position >> 5) + k, negative ? -value : value);
  }
}

// Carries: afterwards limbs 0..n-2 are in [0, 2^32), and limb n-1 has the sign and the rest.
ONEFOLD_FN constexpr void carry(int64_t* limb, int n) {
  int64_t c = 0;
  for (int k = 0; k < n - 1; ++k) {
#if !defined(__CUDACC__)
    // Skips four limbs of 0 without a carry; most of 68 limbs are 0.
    if (c == 0 && k + 4 < n && (limb[k] | limb[k + 1] | limb[k + 2] | limb[k + 3]) == 0) {
      k += 3;
      continue;
    }
#endif
    const int64_t v = limb[k] + c;
    limb[k] = v & 0xffffffff;
    c = v >> 32;
  }
  limb[n - 1] += c;
}

// Returns how many limbs hold `bits` bits of a value and 64 bits for counts and the sign.
ONEFOLD_FN constexpr int limbs_for(int bits) { return (bits + 64 + 31) / 32; }

// Powers of 64-bit integers as digits of 32 bits, the lowest first.

// Passes the digits of (-1)^negative * m^exponent * 2^position to `add`, one for each limb.
//   bits  m is below 2^bits
template <int exponent, int bits, class Sink>
ONEFOLD_FN constexpr void deposit_power(Sink&& add, uint64_t m, bool negative, int position) {
  if constexpr (exponent * bits <= 128) {
    Uint128 power = m;
    for (int k = 1; k < exponent; ++k) power *= m;
    deposit(add, power, negative, position);
  } else {
    constexpr int size = (exponent * bits + 31) / 32;
    uint32_t power[size] = {static_cast<uint32_t>(m), static_cast<uint32_t>(m >> 32)};
    for (int k = 1; k < exponent; ++k) {
      // Multiplies the power by m: digit j becomes the lowest digit of m times itself + carry.
      Uint128 carry = 0;
      for (int j = 0; j < size; ++j) {
        carry += static_cast<Uint128>(m) * power[j];
        power[j] = static_cast<uint32_t>(carry);
        carry >>= 32;
      }
    }
    deposit(add, power, negative, position);
  }
}

// Element types: the C++ types, their run-time names, and the layout of the floating-point ones.

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
ONEFOLD_DTYPES
#undef ONEFOLD_DTYPE
};

// Constants such as onefold::f32 name element types in places where C++ needs a value.
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) inline constexpr DType name = DType::name;
ONEFOLD_DTYPES
#undef ONEFOLD_DTYPE

inline constexpr int dtype_count = 0
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) +1
ONEFOLD_DTYPES
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
ONEFOLD_DTYPES
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
ONEFOLD_DTYPES
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
ONEFOLD_DTYPES
#undef ONEFOLD_DTYPE
      ;
  return static_cast<unsigned>(sizes >> 4 * (static_cast<int>(t) & 15) & 15);
}

ONEFOLD_FN constexpr const char* name_of(DType t) {
  switch (t) {
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) \
  case DType::name:                                      \
    return spelling;
ONEFOLD_DTYPES
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
ONEFOLD_DTYPES
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

// Elements of any type as integers times a power of two.

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

// The sum of the cubes of all finite elements.
//
//   words    limbs of weight 2^(unit + 32 k), exact/limbs.hpp
//   empty    0
//   NaN      left out, as are infinities: the tally counts them
//   exact    yes, whatever the order; 64 bits of room above the largest element

namespace accumulator {

template <class T>
struct sumcube {
  using Element = T;
  static constexpr int unit = 3 * unit_of<T>;
  static constexpr int limbs = limbs_for(3 * value_bits<T>);
  static constexpr int words = limbs;

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, Size) {
    const Numeric v = numeric(x);
    if (v.mantissa != 0) {
      deposit_power<3, significand_bits<T>>(add, v.mantissa, v.negative, 3 * v.shift);
    }
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) { carry(w, limbs); }
};

}  // namespace accumulator

// The sum of the fourth powers of all finite elements.
//
//   words    limbs of weight 2^(unit + 32 k), exact/limbs.hpp
//   empty    0
//   NaN      left out, as are infinities: the tally counts them
//   exact    yes, whatever the order; 64 bits of room above the largest element

namespace accumulator {

template <class T>
struct sumfourth {
  using Element = T;
  static constexpr int unit = 4 * unit_of<T>;
  static constexpr int limbs = limbs_for(4 * value_bits<T>);
  static constexpr int words = limbs;

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, Size) {
    const Numeric v = numeric(x);
    if (v.mantissa != 0) {
      deposit_power<4, significand_bits<T>>(add, v.mantissa, false, 4 * v.shift);
    }
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) { carry(w, limbs); }
};

}  // namespace accumulator

// The sum of the squares of all finite elements.
//
//   words    limbs of weight 2^(unit + 32 k), exact/limbs.hpp
//   empty    0
//   NaN      left out, as are infinities: the tally counts them
//   exact    yes, whatever the order; 64 bits of room above the largest element

namespace accumulator {

template <class T>
struct sumsq {
  using Element = T;
  static constexpr int unit = 2 * unit_of<T>;
  static constexpr int limbs = limbs_for(2 * value_bits<T>);
  static constexpr int words = limbs;

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, Size) {
    const Numeric v = numeric(x);
    if (v.mantissa != 0) {
      deposit(add, static_cast<Uint128>(v.mantissa) * v.mantissa, false, 2 * v.shift);
    }
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) { carry(w, limbs); }
};

}  // namespace accumulator
}
}  // namespace onefold

// A number's leading bits, which are all that rounding needs.
//
//   value    (the digits as an integer + a fraction in [0, 1), not 0 if `sticky`) * 2^exponent
//   digits   320 bits, the highest digit first with its top bit set; for zero, all digits are 0
//   exact    lower bits are not kept, only whether all are zero; floors of quotients and roots
//            need no more
// Users wait while device code is compiled, so code that runs once is not inlined or unrolled.

#if defined(__CUDACC__)
#define ONEFOLD_COLD __noinline__
#define ONEFOLD_ROLLED _Pragma("unroll 1")
#else
#define ONEFOLD_COLD
#define ONEFOLD_ROLLED
#endif

namespace onefold {
inline namespace ONEFOLD_EXACT_NAMESPACE {

struct Leading {
  static constexpr int size = 10;
  static constexpr int bits = 32 * size;
  uint32_t digit[size] = {};
  int exponent = 0;
  bool sticky = false;

  ONEFOLD_FN constexpr Leading() {}
  // Makes the number v * 2^e.
  ONEFOLD_FN constexpr explicit Leading(Uint128 v, int e = 0) {
    if (v == 0) return;
    if ((v >> 64) == 0) {  // compilers often know this branch
      const int shift = 64 - bit_length(static_cast<uint64_t>(v));
      const uint64_t top = static_cast<uint64_t>(v) << shift;
      digit[0] = static_cast<uint32_t>(top >> 32);
      digit[1] = static_cast<uint32_t>(top);
      exponent = e - shift - (bits - 64);
      return;
    }
    const int shift = 128 - bit_length(v);
    v <<= shift;
    digit[0] = static_cast<uint32_t>(v >> 96);
    digit[1] = static_cast<uint32_t>(v >> 64);
    digit[2] = static_cast<uint32_t>(v >> 32);
    digit[3] = static_cast<uint32_t>(v);
    exponent = e - shift - (bits - 128);
  }
  ONEFOLD_FN constexpr bool zero() const { return digit[0] == 0; }
  // Returns `top` such that 2^(top - 1) <= value < 2^top.
  ONEFOLD_FN constexpr int top() const { return exponent + bits; }
  // Returns the leading 128 bits; `sticky` says whether lower bits are set.
  ONEFOLD_FN constexpr Uint128 high() const {
    return static_cast<Uint128>(static_cast<uint64_t>(digit[0]) << 32 | digit[1]) << 64 |
           (static_cast<uint64_t>(digit[2]) << 32 | digit[3]);
  }
  ONEFOLD_FN constexpr bool below_high() const {
    uint32_t any = sticky;
    for (int k = 4; k < size; ++k) any |= digit[k];
    return any != 0;
  }
};

// Makes the number from digits of weight 2^(unit + 32 k). at(k) gives them for low <= k <= high;
// all others are 0. at(high) and at(low) are not 0.
template <class At>
ONEFOLD_FN constexpr Leading leading_digits(At at, int low, int high, int unit) {
  Leading r;
  const uint32_t first = at(high);
  const int shift = 32 - bit_length(uint64_t{first});
  uint64_t pair = first;
  ONEFOLD_ROLLED
  for (int k = 0; k < Leading::size; ++k) {
    const int next = high - k - 1;
    pair = pair << 32 | (next >= low ? at(next) : 0u);
    r.digit[k] = static_cast<uint32_t>(pair >> (32 - shift));
  }
  r.sticky = low < high - Leading::size || static_cast<uint32_t>(pair << shift) != 0;
  r.exponent = unit + 32 * (high - Leading::size + 1) - shift;
  return r;
}

// Divides 64 bits by a divisor of 32 bits whose top bit is set, without an instruction of f64, of
// which some GPUs have few: Moeller and Granlund, IEEE Trans. on Computers 60(2), algorithm 4.
struct WordDivisor {
  uint32_t d, inverse;  // 2^64 / d - 2^32

  ONEFOLD_FN constexpr explicit WordDivisor(uint32_t divisor)
      : WordDivisor(divisor, static_cast<uint32_t>(~uint64_t{0} / divisor - (uint64_t{1} << 32))) {}
  ONEFOLD_FN constexpr WordDivisor(uint32_t divisor, uint32_t its_inverse)
      : d(divisor), inverse(its_inverse) {}
  // Returns u / d, and its remainder; u < 2^32 d.
  struct Result {
    uint32_t quotient, rest;
  };
  ONEFOLD_FN constexpr Result divide(uint64_t u) const {
    const uint64_t wide = static_cast<uint64_t>(inverse) * (u >> 32) + u;
    uint32_t q = static_cast<uint32_t>(wide >> 32) + 1, rest = static_cast<uint32_t>(u) - q * d;
    if (rest > static_cast<uint32_t>(wide)) {
      --q;
      rest += d;
    }
    if (rest >= d) {
      ++q;
      rest -= d;
    }
    return {q, rest};
  }
};

// Returns the leading bits of floor(a / divisor), for 0 < divisor < 2^96.
//   digits   how many digits of the quotient to compute, at most 7; with 3, 64 bits are right
//   method   Knuth's algorithm D: a digit is estimated from 64 bits of the remainder and 32 of
//            the divisor; it is at most 2 too large
ONEFOLD_FN ONEFOLD_COLD constexpr Leading divide(const Leading& a, Uint128 divisor, int digits) {
#if !defined(__CUDA_ARCH__)
  // A processor divides 128 bits by 64 bits in a third of this algorithm's time.
  if ((divisor >> 64) == 0 && digits == 3) {
    const auto d = static_cast<uint64_t>(divisor);
    Leading q(a.high() / d, a.exponent + Leading::bits - 128);
    q.sticky = a.below_high() || a.high() % d != 0;
    return q;
  }
#endif
  const int shift = 96 - bit_length(divisor);
  const Uint128 v = divisor << shift;
  const WordDivisor top(static_cast<uint32_t>(v >> 64));
  Uint128 rest = static_cast<Uint128>(a.digit[0]) << 64 |
                 (static_cast<uint64_t>(a.digit[1]) << 32 | a.digit[2]);
  uint32_t carry = 0;  // the bit that overflows above the first digit
  if (rest >= v) {
    rest -= v;
    carry = 1;
  }
  Leading r;
  r.sticky = a.sticky;
  ONEFOLD_ROLLED
  for (int k = 0; k < Leading::size - 3; ++k) {
    const uint32_t next = a.digit[k + 3];
    if (k >= digits) {
      r.sticky = r.sticky || next != 0;
      continue;
    }
    rest = rest << 32 | next;
    const auto u = static_cast<uint64_t>(rest >> 64);
    uint32_t q = u >> 32 >= top.d ? 0xffffffffu : top.divide(u).quotient;
    Uint128 product = v * q;
    while (product > rest) {
      product -= v;
      --q;
    }
    rest -= product;
    r.digit[k] = q;
  }
  r.sticky = r.sticky || rest != 0;
  r.exponent = a.exponent + shift - 96;
  if (carry != 0) {
    ONEFOLD_ROLLED
    for (int k = Leading::size - 1; k > 0; --k) {
      r.digit[k] = r.digit[k] >> 1 | r.digit[k - 1] << 31;
    }
    r.digit[0] = r.digit[0] >> 1 | 0x80000000u;
    ++r.exponent;
  }
  return r;
}

// A quotient's leading 128 bits, rounded down, and whether there is a remainder.
struct Quotient {
  Uint128 floor;
  bool rest;
};
// Returns m / divisor by digits of 32 bits.
ONEFOLD_FN constexpr Quotient divide_by_word(Uint128 m, uint32_t divisor) {
  const int shift = 32 - bit_length(uint64_t{divisor});
  const WordDivisor by(divisor << shift);
  Quotient q{0, false};
  uint32_t rest = static_cast<uint32_t>(m >> 96 >> (32 - shift));
  m <<= shift;
  for (int k = 3; k >= 0; --k) {
    const auto one = by.divide(uint64_t{rest} << 32 | static_cast<uint32_t>(m >> 32 * k));
    rest = one.rest;
    q.floor = q.floor << 32 | one.quotient;
  }
  q.rest = rest != 0;
  return q;
}

// Returns -1, 0 or 1 for a < b, a = b, a > b. Sticky bits are not allowed.
ONEFOLD_FN ONEFOLD_COLD constexpr int compare(const Leading& a, const Leading& b) {
  if (a.zero() || b.zero()) return static_cast<int>(b.zero()) - static_cast<int>(a.zero());
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  ONEFOLD_ROLLED
  for (int k = 0; k < Leading::size; ++k) {
    if (a.digit[k] != b.digit[k]) return a.digit[k] < b.digit[k] ? -1 : 1;
  }
  return 0;
}

// Returns a + b, or a - b if `minus`. a >= b; both have at most 128 bits and no sticky bits.
ONEFOLD_FN ONEFOLD_COLD constexpr Leading combine(const Leading& a, const Leading& b, bool minus) {
  if (b.zero()) return a;
  // Both become integers of 10 digits, with one free digit above `a`. Bits of b that drop out lie
  // 160 bits below a's lowest bit, so only the sticky bit must remember them.
  const int gap = a.exponent - b.exponent, words = gap / 32, shift = gap % 32;
  uint32_t sum[Leading::size + 1] = {};  // the lowest digit first
  bool lost = false;
  const auto moved = [&](int k) {  // digit k of b (0: lowest), moved down by `gap`
    const int from = k + words;
    const auto at = [&](int j) -> uint64_t {
      return j < Leading::size ? b.digit[Leading::size - 1 - j] : 0;
    };
    return static_cast<uint32_t>((at(from + 1) << 32 | at(from)) >> shift);
  };
  ONEFOLD_ROLLED
  for (int j = 0; j < Leading::size; ++j) {
    const uint64_t d = b.digit[Leading::size - 1 - j];
    if (j < words) {
      lost = lost || d != 0;
    } else if (j == words) {
      lost = lost || (d & ((uint64_t{1} << shift) - 1)) != 0;
    }
  }
  int64_t c = minus && lost ? -1 : 0;
  ONEFOLD_ROLLED
  for (int k = 0; k < Leading::size; ++k) {
    const auto d = static_cast<int64_t>(moved(k));
    c += int64_t{a.digit[Leading::size - 1 - k]} + (minus ? -d : d);
    sum[k] = static_cast<uint32_t>(c);
    c >>= 32;
  }
  sum[Leading::size] = static_cast<uint32_t>(c);
  int low = 0, high = Leading::size;
  while (high >= 0 && sum[high] == 0) --high;
  if (high < 0) return Leading();
  while (sum[low] == 0) ++low;
  Leading r = leading_digits([&](int k) { return sum[k]; }, low, high, a.exponent);
  r.sticky = r.sticky || lost;
  return r;
}

// Returns floor(sqrt(v)): 16 bits of the root, then 32 and 64, each time by one division:
// Zimmermann, "Karatsuba square root", INRIA RR-3805.
ONEFOLD_FN ONEFOLD_COLD constexpr uint64_t integer_sqrt(Uint128 v) {
  if (v == 0) return 0;
  const int shift = (128 - bit_length(v)) & ~1;
  const Uint128 n = v << shift;
  const auto high = static_cast<uint64_t>(n >> 64);
  const auto top = static_cast<uint32_t>(high >> 32), next = static_cast<uint32_t>(high);
  uint32_t s = 0;
  ONEFOLD_ROLLED
  for (uint32_t bit = 1u << 15; bit != 0; bit >>= 1) {
    if ((s | bit) * (s | bit) <= top) s |= bit;
  }
  const uint32_t q = ((top - s * s) << 15 | next >> 17) / s;
  uint32_t half = s << 16 | (q >> 16 != 0 ? 0xffffu : q);
  while (uint64_t{half} * half > high) --half;
  while (half != ~0u && (uint64_t{half} + 1) * (uint64_t{half} + 1) <= high) ++half;
  const uint64_t rest = (high - uint64_t{half} * half) << 31 | static_cast<uint64_t>(n) >> 33;
  uint64_t root =
      uint64_t{half} << 32 | (rest >> 32 >= half ? ~0u : WordDivisor(half).divide(rest).quotient);
  while (static_cast<Uint128>(root) * root > n) --root;
  while (root != ~uint64_t{0} && (static_cast<Uint128>(root) + 1) * (root + 1) <= n) ++root;
  return root >> shift / 2;
}

// Reads canonical limbs (exact/limbs.hpp) as a sign and the digits of a magnitude. Copies no
// limb.
//
//   P     a pointer to int64 in the memory of a processor, a GPU or the simulator
//   two's complement: a negative number's lowest digit other than 0 is negated; the digits above
//         it are flipped, and those below stay 0

template <class P>
struct Digits {
  P limb{};
  int n = 0;               // the number of limbs; the last one holds two digits
  int low = 0, high = -1;  // digits outside low..high are 0; if high < low, the number is 0
  bool negative = false;

  // Returns the digit of limb k, k <= n, as stored, without a change of sign.
  ONEFOLD_FN static constexpr uint32_t raw(const P& limb, int n, int k) {
    const auto v = static_cast<int64_t>(limb[k < n ? k : n - 1]);
    return static_cast<uint32_t>(k < n ? v : v >> 32);
  }
  ONEFOLD_FN constexpr uint32_t operator()(int k) const {
    if (k < low || k > high) return 0;
    const uint32_t d = raw(limb, n, k);
    return !negative ? d : k == low ? 0 - d : ~d;
  }
  ONEFOLD_FN constexpr bool zero() const { return high < low; }
};

// Finds the range of digits that are not 0, of n limbs in any kind of memory.
template <class P>
ONEFOLD_FN constexpr Digits<P> digits_in(const P& limb, int n) {
  Digits<P> d{limb, n, 0, n, false};
  d.negative = static_cast<int64_t>(limb[n - 1]) < 0;
  const uint32_t fill = d.negative ? 0xffffffffu : 0;
  while (d.low < n && d.raw(limb, n, d.low) == 0) ++d.low;
  if (d.low == n && d.raw(limb, n, n) == 0) d.high = d.low - 1;
  while (d.high > d.low && d.raw(limb, n, d.high) == fill) --d.high;
  return d;
}

// Does the same for limbs in plain memory, four limbs at a time.
ONEFOLD_FN constexpr Digits<const int64_t*> find_digits(const int64_t* limb, int n) {
  Digits<const int64_t*> d{limb, n, 0, n, limb[n - 1] < 0};
  const uint32_t fill = d.negative ? 0xffffffffu : 0;
  // Most of 68 limbs are 0 or only repeat the sign.
  while (d.low + 4 < n &&
         (limb[d.low] | limb[d.low + 1] | limb[d.low + 2] | limb[d.low + 3]) == 0) {
    d.low += 4;
  }
  while (d.low < n - 1 && limb[d.low] == 0) ++d.low;
  if (d.low == n - 1 && static_cast<uint32_t>(limb[n - 1]) == 0) ++d.low;
  while (d.high == n && d.high > d.low && d.raw(limb, n, n) == fill) --d.high;
  while (d.high == n - 1 && d.high > d.low && d.raw(limb, n, n - 1) == fill) --d.high;
  if (d.high == n - 2) {
    const auto same = [&](int k) { return limb[k] ^ static_cast<int64_t>(fill); };
    while (d.high - 4 > d.low &&
           (same(d.high) | same(d.high - 1) | same(d.high - 2) | same(d.high - 3)) == 0) {
      d.high -= 4;
    }
  }
  while (d.high > d.low && d.raw(limb, n, d.high) == fill) --d.high;
  if (limb[n - 1] == 0 && d.high == d.low && d.raw(limb, n, d.low) == 0) d.high = d.low - 1;
  return d;
}

template <class P>
ONEFOLD_FN constexpr Leading leading(const Digits<P>& d, int unit) {
  return d.zero() ? Leading() : leading_digits(d, d.low, d.high, unit);
}

// Integers with a bounded number of digits, for products of sums and quotients of such products.
// The same code runs on a processor and, in one thread, on a device.
//
//   N        the number of 32-bit digits of the longest intermediate result; the caller gives it
//   Store    the memory for them, which begins as 0: in the number itself, or somewhere else
//   product  row by row; zero digits of the shorter factor take no time
//   source   Knuth, TAOCP 2, 4.3.1, algorithm D (long division)

template <int N>
struct DigitStore {
  uint32_t digit[N] = {};
  ONEFOLD_FN constexpr uint32_t& operator[](int k) { return digit[k]; }
  ONEFOLD_FN constexpr uint32_t operator[](int k) const { return digit[k]; }
};

// (-1)^negative times the first `size` digits, the lowest first; the highest of them is not 0.
template <int N, class Store = DigitStore<N>>
struct LongInteger {
  Store digit;
  int size = 0;
  bool negative = false;

  ONEFOLD_FN constexpr LongInteger() {}
  ONEFOLD_FN constexpr explicit LongInteger(Uint128 v) {
    for (; v != 0; v >>= 32) digit[size++] = static_cast<uint32_t>(v);
  }
  // Without the lowest `drop` digits, which are 0.
  template <class P>
  ONEFOLD_FN constexpr explicit LongInteger(const Digits<P>& d, int drop = 0)
      : size(d.zero() ? 0 : d.high + 1 - drop), negative(!d.zero() && d.negative) {
    ONEFOLD_ROLLED
    for (int k = d.low; k <= d.high; ++k) digit[k - drop] = d(k);
  }
  ONEFOLD_FN constexpr bool zero() const { return size == 0; }
  ONEFOLD_FN constexpr void trim(int from) {
    size = from;
    while (size > 0 && digit[size - 1] == 0) --size;
    if (size == 0) negative = false;
  }
  ONEFOLD_FN constexpr int lowest() const {
    int k = 0;
    while (k < size && digit[k] == 0) ++k;
    return k;
  }
  ONEFOLD_FN constexpr LongInteger operator-() const {
    LongInteger r = *this;
    r.negative = !negative && !zero();
    return r;
  }
  // Returns the number with so many zero digits added below it.
  ONEFOLD_FN constexpr LongInteger shifted(int digits) const {
    LongInteger r;
    r.negative = negative;
    ONEFOLD_ROLLED
    for (int k = 0; k < size; ++k) r.digit[k + digits] = digit[k];
    r.trim(size == 0 ? 0 : size + digits);
    return r;
  }
};

template <int N, class S>
ONEFOLD_FN ONEFOLD_COLD constexpr LongInteger<N, S> operator*(const LongInteger<N, S>& a,
                                                              const LongInteger<N, S>& b) {
  LongInteger<N, S> r;
  const int low = b.lowest();
  ONEFOLD_ROLLED
  for (int i = 0; i < a.size; ++i) {
    const uint32_t one = a.digit[i];
    if (one == 0) continue;
    uint64_t c = 0;
    ONEFOLD_ROLLED
    for (int j = low; j < b.size; ++j) {
      c += uint64_t{one} * b.digit[j] + r.digit[i + j];
      r.digit[i + j] = static_cast<uint32_t>(c);
      c >>= 32;
    }
    if (c != 0) r.digit[i + b.size] = static_cast<uint32_t>(c);
  }
  r.negative = a.negative != b.negative;
  r.trim(a.size + b.size < N ? a.size + b.size : N);
  return r;
}

// Returns whether |a| < |b|.
template <int N, class S>
ONEFOLD_FN constexpr bool less_in_magnitude(const LongInteger<N, S>& a,
                                            const LongInteger<N, S>& b) {
  if (a.size != b.size) return a.size < b.size;
  ONEFOLD_ROLLED
  for (int k = a.size; k-- > 0;) {
    if (a.digit[k] != b.digit[k]) return a.digit[k] < b.digit[k];
  }
  return false;
}

template <int N, class S>
ONEFOLD_FN ONEFOLD_COLD constexpr LongInteger<N, S> operator+(const LongInteger<N, S>& a,
                                                              const LongInteger<N, S>& b) {
  const bool swap = less_in_magnitude(a, b);
  const LongInteger<N, S>& large = swap ? b : a;
  const LongInteger<N, S>& lesser = swap ? a : b;
  const bool minus = a.negative != b.negative;
  LongInteger<N, S> r;
  int64_t c = 0;
  int k = 0;
  ONEFOLD_ROLLED
  for (; k < large.size; ++k) {
    const int64_t d = lesser.digit[k];
    c += int64_t{large.digit[k]} + (minus ? -d : d);
    r.digit[k] = static_cast<uint32_t>(c);
    c >>= 32;
  }
  if (c != 0) r.digit[k++] = static_cast<uint32_t>(c);
  r.negative = large.negative;
  r.trim(k);
  return r;
}
template <int N, class S>
ONEFOLD_FN constexpr LongInteger<N, S> operator-(const LongInteger<N, S>& a,
                                                 const LongInteger<N, S>& b) {
  return a + -b;
}

// Returns a with its sign turned if b is negative.
template <int N, class S>
ONEFOLD_FN constexpr LongInteger<N, S> turned_by(LongInteger<N, S> a, const LongInteger<N, S>& b) {
  a.negative = !a.zero() && a.negative != b.negative;
  return a;
}

// Out of line also because NVRTC 13.0 gave its result the place of `v` on the stack, where `v` was
// the caller's variable, and then read digits that it had overwritten.
template <int N, class S>
ONEFOLD_FN ONEFOLD_COLD constexpr Leading leading(const LongInteger<N, S>& v, int unit) {
  if (v.zero()) return Leading();
  return leading_digits([&](int k) { return v.digit[k]; }, v.lowest(), v.size - 1, unit);
}

// Returns the magnitude of a / (b 2^unit), b not 0, as leading bits, of which at least 128 are
// right, and whether there is a remainder.
template <int N, class S>
ONEFOLD_FN ONEFOLD_COLD constexpr Leading quotient(const LongInteger<N, S>& a,
                                                   const LongInteger<N, S>& b, int unit) {
  if (a.zero()) return Leading();
  // The divisor gets two digits, to guess each digit of the quotient; the dividend five more.
  const int more_of_b = b.size < 2 ? 1 : 0, wanted = b.size + more_of_b + 5;
  const int more_of_a = a.size < wanted ? wanted - a.size : 0;
  const int shift = 32 - bit_length(uint64_t{b.digit[b.size - 1]});
  const auto moved = [&](const LongInteger<N, S>& v, int digits) {
    LongInteger<N, S> r;
    uint32_t below = 0;
    int k = 0;
    ONEFOLD_ROLLED
    for (; k < v.size; ++k) {
      const uint64_t two = static_cast<uint64_t>(v.digit[k]) << shift;
      r.digit[k + digits] = static_cast<uint32_t>(two) | below;
      below = static_cast<uint32_t>(two >> 32);
    }
    r.size = v.size + digits;
    if (below != 0) r.digit[r.size++] = below;
    return r;
  };
  const LongInteger<N, S> v = moved(b, more_of_b);
  LongInteger<N, S> u = moved(a, more_of_a);
  const int n = v.size, count = u.size + 1 - n;
  LongInteger<N, S> q;
  ONEFOLD_ROLLED
  for (int j = count; j-- > 0;) {
    const uint64_t above = j + n < N ? u.digit[j + n] : 0;
    const uint64_t top = above << 32 | u.digit[j + n - 1];
    uint64_t guess = top / v.digit[n - 1], rest = top % v.digit[n - 1];
    while (guess >> 32 != 0 || guess * v.digit[n - 2] > (rest << 32 | u.digit[j + n - 2])) {
      --guess;
      rest += v.digit[n - 1];
      if (rest >> 32 != 0) break;
    }
    int64_t borrow = 0;
    uint64_t carry = 0;
    ONEFOLD_ROLLED
    for (int k = 0; k < n; ++k) {
      carry += guess * v.digit[k];
      const int64_t d = int64_t{u.digit[j + k]} - static_cast<uint32_t>(carry) + borrow;
      u.digit[j + k] = static_cast<uint32_t>(d);
      borrow = d >> 32;
      carry >>= 32;
    }
    const int64_t d = static_cast<int64_t>(above) - static_cast<int64_t>(carry) + borrow;
    uint32_t left = static_cast<uint32_t>(d);
    if (d < 0) {
      --guess;
      uint64_t c = 0;
      ONEFOLD_ROLLED
      for (int k = 0; k < n; ++k) {
        c += uint64_t{u.digit[j + k]} + v.digit[k];
        u.digit[j + k] = static_cast<uint32_t>(c);
        c >>= 32;
      }
      left += static_cast<uint32_t>(c);
    }
    if (j + n < N) u.digit[j + n] = left;
    q.digit[j] = static_cast<uint32_t>(guess);
  }
  q.trim(count);
  u.trim(u.size);
  Leading r = leading(q, unit + 32 * (more_of_b - more_of_a));
  r.sticky = r.sticky || !u.zero();
  return r;
}

// Errors that depend on the data: each output element has a status and a value.

// bad_offsets: on a device, the offsets of a segment are invalid (segments.hpp). mismatch: ranks
// asked for different folds (nccl.hpp). bad_weights: on a device, weights are bad (docs/errors.md).
// too_few: a window has fewer elements than its answer asks for. undecided: a state's bound leaves
// the rounding of its answer open.
enum class Outcome : uint8_t {
  ok,
  overflow,
  nan_found,
  empty_input,
  bad_offsets,
  mismatch,
  bad_weights,
  too_few,
  undecided
};

ONEFOLD_FN constexpr const char* name_of(Outcome s) {
  switch (s) {
    case Outcome::ok:
      return "ok";
    case Outcome::overflow:
      return "overflow";
    case Outcome::nan_found:
      return "nan_found";
    case Outcome::empty_input:
      return "empty_input";
    case Outcome::bad_offsets:
      return "bad_offsets";
    case Outcome::mismatch:
      return "mismatch";
    case Outcome::bad_weights:
      return "bad_weights";
    case Outcome::too_few:
      return "too_few";
    case Outcome::undecided:
      return "undecided";
  }
  return "?";
}

enum class NanPolicy : uint8_t { propagate, omit, raise };

ONEFOLD_FN constexpr const char* name_of(NanPolicy p) {
  switch (p) {
    case NanPolicy::propagate:
      return "propagate";
    case NanPolicy::omit:
      return "omit";
    case NanPolicy::raise:
      return "raise";
  }
  return "?";
}

// An answer before it is rounded: a formula over the real numbers, kept exactly.
//
// Ops return a Real; `round` turns it into the result type, once. So no op can round twice.
// Rounding needs 64 leading bits and whether any lower bit is set. So a Real holds only that much
// of its number, on a processor and on a GPU.

// (-1)^negative * numerator / (n * left), or the square root of that if `root`. Zero has a sign.
struct Real {
  enum class Kind : uint8_t { finite, infinite, nan, bad };
  Kind kind = Kind::finite;
  Outcome status = Outcome::ok;  // says what is wrong, if anything
  bool negative = false;
  bool root = false;
  Leading numerator;
  Uint128 n = 1, left = 1;  // both below 2^96

  ONEFOLD_FN static constexpr Real nan() {
    Real r;
    r.kind = Kind::nan;
    return r;
  }
  ONEFOLD_FN static constexpr Real infinity(bool negative = false) {
    Real r;
    r.kind = Kind::infinite;
    r.negative = negative;
    return r;
  }
  ONEFOLD_FN static constexpr Real bad(Outcome status) {
    Real r;
    r.kind = Kind::bad;
    r.status = status;
    return r;
  }
  ONEFOLD_FN static constexpr Real integer(Uint128 magnitude, bool negative = false) {
    Real r;
    r.numerator = Leading(magnitude);
    r.negative = negative;
    return r;
  }
  ONEFOLD_FN static constexpr Real zero(bool negative = false) { return integer(0, negative); }
  template <class T>
  ONEFOLD_FN static constexpr Real of(T x) {
    const Decoded d = decode(x);
    if (d.nan) return nan();
    if (d.infinite) return infinity(d.negative);
    Real r = integer(d.mantissa, d.negative);
    r.numerator.exponent += float_format(dtype_of<T>).unit + d.shift;
    return r;
  }
};

// The steps of a formula before rounding. A kernel compiles only those steps that some of its ops
// need.
struct RoundingSteps {
  bool quotient = true, second_quotient = true, root = true;
  bool integers = true;  // types other than floating-point ones
};
// The template argument of `round`: a type, since real.hpp is for C++17 too.
struct AllSteps {
  static constexpr RoundingSteps steps{};
};

// A rounded value as the bits of its type, low bits first, and its status. Bad: all bits are 0.
struct Rounded {
  uint64_t bits;
  Outcome status;
};

namespace detail {

// Rounds to nearest, ties to even: (-1)^negative * (mantissa + a fraction in [0, 1), not 0 if
// sticky) * 2^exponent. The mantissa's top bit is set.
ONEFOLD_FN constexpr uint64_t round_leading(uint64_t mantissa, int exponent, bool sticky,
                                            bool negative, FloatFormat f) {
  const uint64_t sign = static_cast<uint64_t>(negative) << (f.mantissa_bits + f.exponent_bits);
  if (exponent + 64 > f.top) return sign | f.infinity();
  // The lowest bit that the result keeps has weight 2^keep; 11 bits or more are dropped.
  const int normal = exponent + 63 - f.mantissa_bits;
  const int keep = normal > f.unit ? normal : f.unit;
  const int drop = keep - exponent;
  if (drop > 64) return sign;  // less than half of the smallest subnormal
  uint64_t q = drop == 64 ? 0 : mantissa >> drop;
  const uint64_t rest = mantissa << (64 - drop), half = uint64_t{1} << 63;
  if (rest > half || (rest == half && (sticky || (q & 1) != 0))) ++q;
  // q has at most mantissa_bits + 1 bits, or is 1 larger than such a number. Then the carry enters
  // the exponent field, and from the largest exponent it makes an infinity, as it should.
  const uint64_t biased = static_cast<uint64_t>(keep - f.unit) << f.mantissa_bits;
  return sign | (biased + q);
}
// Does the same for any mantissa.
ONEFOLD_FN constexpr uint64_t round_to_float(Uint128 mantissa, int exponent, bool sticky,
                                             bool negative, FloatFormat f) {
  // A mantissa of 0 gives zero: sticky bits alone are less than half of the smallest subnormal.
  if (mantissa == 0) return static_cast<uint64_t>(negative) << (f.mantissa_bits + f.exponent_bits);
  const int shift = 128 - bit_length(mantissa);
  const Uint128 m = mantissa << shift;
  return round_leading(static_cast<uint64_t>(m >> 64), exponent - shift + 64,
                       sticky || static_cast<uint64_t>(m) != 0, negative, f);
}

}  // namespace detail

// Rounds to a floating-point type: to nearest even; overflow gives infinity; subnormals are kept.
template <class Taken = AllSteps>
ONEFOLD_FN constexpr uint64_t round_float(const Real& r, FloatFormat f) {
  constexpr RoundingSteps steps = Taken::steps;
  const uint64_t sign = r.negative ? f.sign() : 0;
  if (r.kind == Real::Kind::nan) return f.nan();
  if (r.kind == Real::Kind::infinite) return sign | f.infinity();
  if (r.numerator.zero()) return sign;
  // 64 leading bits and a sticky bit decide any rounding to at most 53 bits. A root has half as
  // many bits as its radicand. A second division needs 96 bits more of the first quotient.
  Uint128 m = r.numerator.high();
  int e = r.numerator.exponent + Leading::bits - 128;
  bool sticky = r.numerator.below_high();
  if constexpr (steps.quotient) {
    if ((r.n >> 32) == 0 && r.left == 1 && !r.root) {
      if (r.n != 1) {
        const auto q = divide_by_word(m, static_cast<uint32_t>(r.n));
        const int shift = 128 - bit_length(q.floor);
        m = q.floor << shift;
        e -= shift;
        sticky = sticky || q.rest;
      }
    } else if (r.n != 1 || r.left != 1) {
      const int digits = r.root ? 4 : 3;
      Leading q = r.numerator;
      if (r.n != 1) q = divide(Leading(q), r.n, r.left != 1 ? Leading::size - 3 : digits);
      if constexpr (steps.second_quotient) {
        if (r.left != 1) q = divide(Leading(q), r.left, digits);
      }
      m = q.high();
      e = q.exponent + Leading::bits - 128;
      sticky = q.below_high();
    }
  }
  if constexpr (steps.root) {
    if (r.root) {
      // sqrt(m * 2^e): e is made even; then floor(sqrt(floor(m))) = floor(sqrt(m)) has 64 bits.
      if ((e & 1) != 0) {
        sticky = sticky || (m & 1) != 0;
        m >>= 1;
        ++e;
      }
      const uint64_t s = integer_sqrt(m);
      sticky = sticky || static_cast<Uint128>(s) * s != m;
      return detail::round_leading(s, e / 2, sticky, r.negative, f);
    }
  }
  sticky = sticky || static_cast<uint64_t>(m) != 0;
  return detail::round_leading(static_cast<uint64_t>(m >> 64), e + 64, sticky, r.negative, f);
}

// Rounds to an integer type, exactly, or to `overflow`. Ops return only whole numbers for it.
ONEFOLD_FN constexpr Rounded round_integer(const Real& r, DType t) {
  const int bits = static_cast<int>(8 * bytes_of(t));
  const bool is_signed = kind_of(t) == Kind::signed_integer;
  if (r.kind != Real::Kind::finite) return {0, Outcome::overflow};
  if (r.numerator.zero()) return {0, Outcome::ok};
  if (r.numerator.top() > 64) return {0, Outcome::overflow};
  const auto m = static_cast<uint64_t>(r.numerator.high() >> (128 - r.numerator.top()));
  const uint64_t limit = is_signed ? (uint64_t{1} << (bits - 1)) - (r.negative ? 0 : 1)
                                   : (r.negative ? 0 : ~uint64_t{0} >> (64 - bits));
  if (m > limit) return {0, Outcome::overflow};
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  return {(r.negative ? ~m + 1 : m) & mask, Outcome::ok};
}

template <class Taken = AllSteps>
ONEFOLD_FN constexpr Rounded round_real(const Real& r, DType t) {
  if (r.kind == Real::Kind::bad) return {0, r.status};
  if (!Taken::steps.integers || is_floating(t)) {
    return {round_float<Taken>(r, float_format(t)), Outcome::ok};
  }
  if (t == DType::boolean) return {r.numerator.zero() ? uint64_t{0} : uint64_t{1}, Outcome::ok};
  return round_integer(r, t);
}

// The vocabulary of sums: what a fold adds up, and which statistics follow from sums.
//
//   factor     what is made of one element of each array, x and y
//   term       a product of up to two factors; a fold sums terms over its elements, and with
//              weights each term times w
//   statistic  what an op answers with: the total of a term, or a formula over totals
//              (formula/statistics.hpp), or an extreme
//
// Accumulators, panels, lanes of kernels, and folds with weights all name sums by these words.

// zero: 1 if x is 0, else 0; square: x^2; magnitude: |x|; difference: x - y; distance: |x - y|.
enum class Factor : uint8_t { one, zero, x, y, square, magnitude, difference, distance };

// The total of `one` is the number of elements or, with weights, the sum of the weights.
#define ONEFOLD_TERMS \
  one, x, y, xx, yy, xy, squared_difference, distance, magnitude, zero, xxx, xxxx
enum class Term : uint8_t { ONEFOLD_TERMS };

struct Factors {
  Factor a, b = Factor::one;
  ONEFOLD_FN constexpr bool is_product() const { return b != Factor::one; }
  ONEFOLD_FN constexpr bool never_negative() const {
    return a == b || a == Factor::zero || a == Factor::magnitude || a == Factor::distance;
  }
  ONEFOLD_FN constexpr bool reads_y() const { return is_of_y(a) || is_of_y(b); }

 private:
  ONEFOLD_FN static constexpr bool is_of_y(Factor f) {
    return f == Factor::y || f == Factor::difference || f == Factor::distance;
  }
};
ONEFOLD_FN constexpr Factors factors_of(Term t) {
  switch (t) {
    case Term::one:
      return {Factor::one};
    case Term::x:
      return {Factor::x};
    case Term::y:
      return {Factor::y};
    case Term::xx:
      return {Factor::x, Factor::x};
    case Term::yy:
      return {Factor::y, Factor::y};
    case Term::xy:
      return {Factor::x, Factor::y};
    case Term::squared_difference:
      return {Factor::difference, Factor::difference};
    case Term::distance:
      return {Factor::distance};
    case Term::magnitude:
      return {Factor::magnitude};
    case Term::zero:
      return {Factor::zero};
    case Term::xxx:
      return {Factor::x, Factor::square};
    case Term::xxxx:
      return {Factor::square, Factor::square};
  }
  return {Factor::one};
}
// Returns a term's degree: totals of elements in units of 2^u are in units of 2^(degree u).
ONEFOLD_FN constexpr int units_of(Term t) {
  const auto units = [](Factor f) {
    return f == Factor::one || f == Factor::zero ? 0 : f == Factor::square ? 2 : 1;
  };
  return units(factors_of(t).a) + units(factors_of(t).b);
}

// A set of terms, sorted as they are listed above.
struct Terms {
  uint32_t bits = 0;

  constexpr Terms() = default;
  ONEFOLD_FN constexpr explicit Terms(uint32_t b) : bits(b) {}
  ONEFOLD_FN constexpr Terms(Term t) : bits(uint32_t{1} << static_cast<int>(t)) {}
  ONEFOLD_FN constexpr bool has(Term t) const { return (bits >> static_cast<int>(t) & 1) != 0; }
  ONEFOLD_FN constexpr bool empty() const { return bits == 0; }
  ONEFOLD_FN constexpr bool within(Terms o) const { return (bits & ~o.bits) == 0; }
  ONEFOLD_FN constexpr Terms without(Terms o) const { return Terms(bits & ~o.bits); }
  ONEFOLD_FN constexpr int count() const {
    int n = 0;
    for (uint32_t b = bits; b != 0; b &= b - 1) ++n;
    return n;
  }
  // Returns how many terms of the set come before t, which is the place of t in a set that has it.
  ONEFOLD_FN constexpr int place_of(Term t) const {
    return Terms(bits & (Terms(t).bits - 1)).count();
  }
  ONEFOLD_FN friend constexpr Terms operator|(Terms a, Terms b) { return Terms(a.bits | b.bits); }
};
ONEFOLD_FN constexpr Terms operator|(Term a, Term b) { return Terms(a) | Terms(b); }

// First the totals, each named after its term; then what follows from several totals by a formula;
// then extremes. The functions below rely on this order.
enum class Statistic : uint8_t {
  ONEFOLD_TERMS,
  variance,  // n Q - S^2 over n (n - ddof)
  covariance,
  total_variance,  // of x plus that of y
  correlation,
  cosine,
  slope,
  intercept,
  weighted_mean,
  skewness,
  kurtosis,
  pearson,       // kurtosis + 3
  third_moment,  // of deviations from the mean
  fourth_moment,
  raw_third,  // the mean of x^3
  raw_fourth,
  least,
  greatest,
  ptp,      // greatest - least
  norminf,  // the larger of |least| and |greatest|
  greatest_difference,
  nothing  // no statistic: exact words answer
};
#undef ONEFOLD_TERMS
inline constexpr int term_count = static_cast<int>(Statistic::variance);
ONEFOLD_FN constexpr Statistic total_of(Term t) { return static_cast<Statistic>(t); }
ONEFOLD_FN constexpr bool is_total(Statistic s) { return s < Statistic::variance; }
ONEFOLD_FN constexpr Term term_of(Statistic total) { return static_cast<Term>(total); }
// Returns whether a statistic is a total, or follows from several totals by a formula.
ONEFOLD_FN constexpr bool is_of_sums(Statistic s) { return s < Statistic::least; }
// Returns whether a statistic relates two arrays: cov, corr, slope, ...
ONEFOLD_FN constexpr bool is_relation(Statistic s) {
  return s > Statistic::variance && s < Statistic::skewness;
}
// Returns whether a statistic is a moment of third or fourth order, or a ratio of moments.
ONEFOLD_FN constexpr bool is_moment(Statistic s) {
  return s >= Statistic::skewness && s <= Statistic::raw_fourth;
}

// The formulas of statistics.inl for single numbers, and the terms that each of them reads.

namespace formula {

#define ONEFOLD_FORMULA_FN ONEFOLD_FN

// The formulas of statistics over sums, each written once: evaluated by long integers, by numbers
// of one or two f64 with an error bound on a GPU, and by vectors of such numbers. Code of an
// instruction set includes this file in its namespace; ONEFOLD_FORMULA_FN is the attribute that its
// functions need. So this file has no include guard.
//
//   s       a view of sums: s(term) returns one as an S::Number; s(Term::one) is the number of
//           elements, or the sum of their weights. s.over_freedom(v) is v / (n (n - ddof))
//   sample  if a view has `corrected`, that says whether ratios of moments are the estimates from a
//           sample of n; s.fewer(k) is n - k
//   origin  if a view has origin_x and origin_y, its sums are of x - origin_x and y - origin_y
//   exact   a formula only adds, subtracts and multiplies; quotients and roots are the number's
// a / b times 2^(units u), if elements are integers times 2^u; or the square root of that.

template <class N>
struct Ratio {
  N a, b;
  int units = 0;
  bool root = false;
};
// a / sqrt(b c).
template <class N>
struct OverRoot {
  N a, b, c;
};

// a b - c d. Numbers that do this better have a function of their own.
template <class N>
ONEFOLD_FORMULA_FN constexpr N cross(const N& a, const N& b, const N& c, const N& d) {
  return a * b - c * d;
}
// n sum a b - sum a sum b.
template <class S>
ONEFOLD_FORMULA_FN constexpr auto spread(const S& s, Term a, Term b, Term ab) {
  return cross(s(Term::one), s(ab), s(a), s(b));
}
template <class S>
ONEFOLD_FORMULA_FN constexpr auto spread_x(const S& s) {
  return spread(s, Term::x, Term::x, Term::xx);
}
template <class S>
ONEFOLD_FORMULA_FN constexpr auto spread_xy(const S& s) {
  return spread(s, Term::x, Term::y, Term::xy);
}

template <class S>
ONEFOLD_FORMULA_FN constexpr auto correlation(const S& s) {
  return OverRoot<typename S::Number>{spread_xy(s), spread_x(s),
                                      spread(s, Term::y, Term::y, Term::yy)};
}
template <class S>
ONEFOLD_FORMULA_FN constexpr auto cosine(const S& s) {
  return OverRoot<typename S::Number>{s(Term::xy), s(Term::xx), s(Term::yy)};
}
template <class S>
ONEFOLD_FORMULA_FN constexpr auto slope(const S& s) {
  return Ratio<typename S::Number>{spread_xy(s), spread_x(s)};
}
// Whether a view's sums are about origins.
template <class S, class = void>
constexpr bool has_origins = false;
template <class S>
constexpr bool has_origins<S, decltype(void(&S::origin_x))> = true;
template <class S>
ONEFOLD_FORMULA_FN constexpr auto intercept(const S& s) {
  using N = typename S::Number;
  const N spread = spread_x(s), a = cross(s(Term::y), s(Term::xx), s(Term::x), s(Term::xy));
  if constexpr (has_origins<S>) {
    return Ratio<N>{a - cross(s.origin_x, spread_xy(s), s.origin_y, spread), spread, 1};
  } else {
    return Ratio<N>{a, spread, 1};
  }
}
// The mean of x with y as weights.
template <class S>
ONEFOLD_FORMULA_FN constexpr auto weighted_mean(const S& s) {
  return Ratio<typename S::Number>{s(Term::xy), s(Term::y), 1};
}

// n^2 times the sum of cubes of the deviations from the mean.
//   square   spread_x(s)
template <class S, class N>
ONEFOLD_FORMULA_FN constexpr N third_moment(const S& s, const N& square) {
  const N d = s(Term::x) * square;
  return s(Term::one) * spread(s, Term::x, Term::xx, Term::xxx) - (d + d);
}
// n^3 times the sum of their fourth powers, less 3 n^2 times the squared sum of their squares.
template <class S, class N>
ONEFOLD_FORMULA_FN constexpr N fourth_excess(const S& s, const N& square) {
  const N x = s(Term::x), n = s(Term::one),
          third = (x * x - square) * square - n * (x * spread(s, Term::x, Term::xx, Term::xxx));
  return n * (n * spread(s, Term::x, Term::xxx, Term::xxxx)) + (third + third + third);
}
// Whether a view's sums are of terms times weights.
template <class S, class = void>
constexpr bool has_weights = false;
template <class S>
constexpr bool has_weights<S, decltype(void(S::weighted))> = S::weighted;

// m3 / m2^(3/2) of the central moments m2, m3; from a sample, times sqrt(n (n - 1)) / (n - 2).
template <class S>
ONEFOLD_FORMULA_FN constexpr auto skewness(const S& s) {
  using N = typename S::Number;
  const N square = spread_x(s);
  N third = third_moment(s, square);
  if constexpr (has_weights<S>) third = turned_by(third, s(Term::one));  // their sum to the cube
  return OverRoot<N>{third, square * square, square};
}
// m4 / m2^2 - 3 = k; from a sample (n - 1) ((n + 1) k + 6) / ((n - 2) (n - 3)).
//   pearson  adds 3
template <bool pearson, class S>
ONEFOLD_FORMULA_FN constexpr auto kurtosis(const S& s) {
  using N = typename S::Number;
  const N square = spread_x(s);
  Ratio<N> r{fourth_excess(s, square), square * square};
  return r;
}

template <Statistic is, class S>
ONEFOLD_FORMULA_FN constexpr auto statistic(const S& s) {
  if constexpr (is == Statistic::variance) {
    return s.over_freedom(spread_x(s));
  } else if constexpr (is == Statistic::covariance) {
    return s.over_freedom(spread_xy(s));
  } else if constexpr (is == Statistic::correlation) {
    return correlation(s);
  } else if constexpr (is == Statistic::cosine) {
    return cosine(s);
  } else if constexpr (is == Statistic::slope) {
    return slope(s);
  } else if constexpr (is == Statistic::intercept) {
    return intercept(s);
  } else if constexpr (is == Statistic::weighted_mean) {
    return weighted_mean(s);
  } else if constexpr (is == Statistic::skewness) {
    return skewness(s);
  } else if constexpr (is == Statistic::kurtosis) {
    return kurtosis<false>(s);
  } else {
    static_assert(is_total(is), "an extreme does not follow from sums");
    return s(term_of(is));
  }
}
#undef ONEFOLD_FORMULA_FN

// Returns the ratio v / (n (n - k)), for ddof k = taken / factor.
template <class N>
ONEFOLD_FN constexpr Ratio<N> over_freedom(const N& v, const N& n, const N& factor,
                                           const N& taken) {
  return {v * factor, n * (n * factor - taken), 2};
}

// A view that notes which terms a formula reads.
struct Reads {
  struct Number {
    ONEFOLD_FN friend constexpr Number operator*(Number, Number) { return {}; }
    ONEFOLD_FN friend constexpr Number operator-(Number, Number) { return {}; }
    ONEFOLD_FN friend constexpr Number operator+(Number, Number) { return {}; }
  };
  Terms* terms;
  ONEFOLD_FN constexpr Number operator()(Term t) const {
    *terms = *terms | t;
    return {};
  }
  ONEFOLD_FN constexpr Number over_freedom(Number v) const { return v; }
};
template <Statistic is>
ONEFOLD_FN constexpr Terms terms_of() {
  Terms terms;
  if constexpr (is_of_sums(is)) statistic<is>(Reads{&terms});
  return terms;
}
// Returns the terms of a statistic that is known only at run time.
template <int k = 0>
ONEFOLD_FN constexpr Terms terms_of(Statistic is) {
  constexpr Statistic one{k};
  if constexpr (!is_of_sums(one)) {
    return {};
  } else {
    return is == one ? terms_of<one>() : terms_of<k + 1>(is);
  }
}

}  // namespace formula

// Exact answers of formulas whose numbers are long integers (exact/long_integer.hpp).
//
//   rounded  128 bits of the quotient or more, and whether there is a remainder; Real does the
//            final rounding

namespace formula {

// Returns the ratio for elements in units of 2^unit. NaN: it divides by 0, or is the root of a
// negative number.
template <class N>
ONEFOLD_FN constexpr Real real_of(const Ratio<N>& r, int unit) {
  const bool below = !r.a.zero() && r.a.negative != r.b.negative;
  if (r.b.zero() || (r.root && below)) return Real::nan();
  Real v;
  v.negative = below;
  v.numerator = quotient(r.a, r.b, r.units * unit);
  v.root = r.root;
  return v;
}
// Returns the root of a^2 / (b c), with the sign of a. NaN: b c is negative, which it may be if
// weights have both signs.
template <class N>
ONEFOLD_FN constexpr Real real_of(const OverRoot<N>& r, int unit) {
  const N divisor = r.b * r.c;
  if (divisor.negative) return Real::nan();
  Real v = real_of(Ratio<N>{r.a * r.a, divisor, 0, true}, unit);
  v.negative = v.kind == Real::Kind::finite && r.a.negative;
  return v;
}

}  // namespace formula
}
}  // namespace onefold

// What happens where there is no right answer: an exception, or the program's end if there are no
// exceptions.

#if !defined(__CUDACC_RTC__)
#include <cstdlib>
#include <exception>
#endif

namespace onefold {
inline namespace ONEFOLD_EXACT_NAMESPACE {

#if !defined(__CUDACC_RTC__)
// The type of an answer cannot hold its exact value, or 2^63 elements were merged.
struct Overflow : std::exception {
  const char* what() const noexcept override {
    return "onefold: the exact value does not fit the result type";
  }
};
#endif

namespace detail {

[[noreturn]] ONEFOLD_FN inline void refuse() {
#if defined(__CUDA_ARCH__)
  __trap();
  __builtin_unreachable();
#elif defined(__cpp_exceptions) || defined(_CPPUNWIND)
  throw Overflow();
#else
  std::abort();
#endif
}

}  // namespace detail

// What NaN, infinities, zeros and missing elements make of a sum and of a mean
// (docs/numerics.md), for every view of sums: exact words, recipes (recipe.hpp), single/.

// The number type that a formula returns for a view G: Real, or G::Number.
template <class G, class = void>
struct NumberOf {
  using type = Real;
};
template <class G>
struct NumberOf<G, decltype(void(static_cast<typename G::Number*>(nullptr)))> {
  using type = typename G::Number;
};
template <class G>
using RealOf = typename NumberOf<G>::type;

struct Tally {
  Size n = 0, nan = 0, positive_infinity = 0, negative_infinity = 0;
  Size invalid = 0;  // the number of products inf * 0
  bool all_negative_zero = false;
  ONEFOLD_FN constexpr bool infinite() const { return positive_infinity + negative_infinity != 0; }
};

// Whether accumulator A counts products inf * 0.
template <class A, class = void>
constexpr bool counts_invalid = false;
template <class A>
constexpr bool counts_invalid<A, decltype(void(A::invalid))> = true;

// Reads the counts of accumulator A, which is tally or dot. n counts those elements that count
// under the NaN policy.
template <class A, class Words>
ONEFOLD_FN constexpr Tally tally_of(const Words& w, NanPolicy nan) {
  const auto word_at = [&](int k) { return static_cast<Size>(static_cast<int64_t>(w[k])); };
  Tally t;
  t.n = word_at(A::n);
  t.nan = word_at(A::nan);
  t.positive_infinity = word_at(A::positive_infinity);
  t.negative_infinity = word_at(A::negative_infinity);
  if constexpr (counts_invalid<A>) t.invalid = word_at(A::invalid);
  if (nan == NanPolicy::omit) t.n -= t.nan;
  t.all_negative_zero = Floating<typename A::Element> && t.n > t.nan * (nan != NanPolicy::omit) &&
                        word_at(A::not_negative_zero) == 0;
  return t;
}

// Returns true if a NaN decides the answer, and sets `answer`.
template <class G>
ONEFOLD_FN constexpr bool settled_by_nan(const G& g, Size nan, RealOf<G>& answer) {
  using Real = RealOf<G>;
  if (nan == 0 || g.nan == NanPolicy::omit) return false;
  answer = g.nan == NanPolicy::raise ? Real::bad(Outcome::nan_found) : Real::nan();
  return true;
}

// Returns a sum as its tally says: NaN, an infinity, or the number in the limbs; -0 if all are -0.
//   limbs  names the sum for g.limbs, such as Accumulator::sum
template <class G, class A>
ONEFOLD_FN constexpr RealOf<G> signed_sum(const G& g, const Tally& t, A limbs) {
  using Real = RealOf<G>;
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  if (t.invalid != 0 || (t.positive_infinity != 0 && t.negative_infinity != 0)) return Real::nan();
  if (t.infinite()) return Real::infinity(t.negative_infinity != 0);
  if (t.all_negative_zero) return Real::zero(true);
  const auto s = g.limbs(limbs);
  r.numerator = s.magnitude;
  r.negative = s.negative;
  return r;
}

// Returns value / n; NaN if n = 0.
template <class R>
ONEFOLD_FN constexpr R divided_by(R value, Size n) {
  if (value.kind == Real::Kind::bad) return value;
  if (n == 0) return R::nan();
  value.n = n;
  return value;
}

// Answers of exact sums as C++ numbers, rounded once.

namespace detail {

template <bool first, class A, class B>
struct Choice {
  using type = A;
};
template <class A, class B>
struct Choice<false, A, B> {
  using type = B;
};
// The type of a sum: that of floats, int64_t of bools and signed integers, uint64_t of others.
template <class T>
using SumOf = typename Choice<
    Floating<T>, T,
    typename Choice<kind_of(dtype_of<T>) == Kind::unsigned_integer, uint64_t, int64_t>::type>::type;
// The type of a mean: that of floats, double of others.
template <class T>
using FractionOf = typename Choice<Floating<T>, T, double>::type;

// Rounds to U.
//   throws  Overflow: U is an integer type that cannot hold the value
template <class U>
ONEFOLD_FN constexpr U rounded(const Real& r) {
  static_assert(is_element<U> && dtype_of<U> != DType::boolean, "an answer is a number");
  const Rounded v = round_real(r, dtype_of<U>);
  if (v.status != Outcome::ok) refuse();
  return bit_cast<U>(static_cast<bits_of<U>>(v.bits));
}

// Returns the square root of a number; NaN below 0.
ONEFOLD_FN constexpr Real root_of(Real r) {
  const bool below = r.negative && (r.kind == Real::Kind::infinite || !r.numerator.zero());
  r.root = true;
  return below ? Real::nan() : r;
}

// A view of one sum, for the rules of sum_rules.hpp.
struct LimbView {
  struct Sum {
    Leading magnitude;
    bool negative;
  };
  const int64_t* words;
  int size, unit;
  NanPolicy nan = NanPolicy::propagate;

  ONEFOLD_FN constexpr Sum limbs(int) const {
    const auto d = find_digits(words, size);
    return {leading(d, unit), d.negative};
  }
};

}  // namespace detail

// The sum of all finite elements.
//
//   words    limbs of weight 2^(unit + 32 k), exact/limbs.hpp
//   empty    0
//   NaN      left out, as are infinities: the tally counts them
//   exact    yes, whatever the order; 64 bits of room above the largest element

namespace accumulator {

template <class T>
struct sum {
  using Element = T;
  static constexpr int unit = unit_of<T>;
  static constexpr int limbs = limbs_for(value_bits<T>);
  static constexpr int words = limbs;

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, Size) {
    const Numeric v = numeric(x);
    if (v.mantissa != 0) deposit(add, v.mantissa, v.negative, v.shift);
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) { carry(w, limbs); }
};

}  // namespace accumulator

// How many elements there are, and how many are not numbers.
//
//   words    n; numbers of NaN, +inf, -inf; a flag: some element other than NaN is not -0
//   exact    yes
//   note     the last word is a flag, since a count would cost every float sum two more
//            instructions a vector (docs/decisions/0001-tally-and-zeros.md)

namespace accumulator {

template <class T>
struct tally {
  using Element = T;
  enum : int { n, nan, positive_infinity, negative_infinity, not_negative_zero, words };

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, Size) {
    add(n, 1);
    if constexpr (Floating<T>) {
      const Decoded d = decode(x);
      if (d.nan) {
        add(nan, 1);
        return;
      }
      if (d.infinite) add(d.negative ? negative_infinity : positive_infinity, 1);
      if (!(d.zero() && d.negative)) add(not_negative_zero, 1);
    }
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) {
    w[not_negative_zero] = w[not_negative_zero] != 0;
  }
};

}  // namespace accumulator

// Sums of many elements of one array into the limbs of accumulator::sum, in blocks.
//
//   block    256 elements whose exponents lie near each other are added as integers of 64 bits, or
//            f32 as doubles, which compilers vectorise; others limb by limb, without a branch
//   exact    no addition of doubles is ever rounded, so flags such as -ffast-math change nothing
//   figures  bench/results/single.md

namespace detail {

inline constexpr int block = 256, log2_of_block = 8;

template <class T>
inline constexpr uint64_t sign_bit = uint64_t{1} << (8 * sizeof(T) - 1);
// The bits of an infinity; those of a NaN, without their sign, are greater.
template <class T>
inline constexpr uint64_t infinity_bits =
    ((uint64_t{1} << float_format(dtype_of<T>).exponent_bits) - 1)
    << float_format(dtype_of<T>).mantissa_bits;

// A finite floating-point number as (mantissa ^ sign) - sign, times 2^(unit + field - 1).
struct Fields {
  uint64_t mantissa;
  uint64_t field;  // at least 1
  uint64_t sign;   // all bits are set if the number is negative
};
template <class T>
ONEFOLD_FN constexpr Fields fields_of(T x) {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  const uint64_t bits = bit_cast<bits_of<T>>(x);
  const uint64_t field = (bits >> f.mantissa_bits) & ((uint64_t{1} << f.exponent_bits) - 1);
  const uint64_t hidden = field != 0 ? uint64_t{1} << f.mantissa_bits : uint64_t{0};
  return {(bits & ((uint64_t{1} << f.mantissa_bits) - 1)) | hidden, field != 0 ? field : 1,
          0 - (bits >> (8 * sizeof(T) - 1))};
}

// Adds v 2^(unit + position).
ONEFOLD_FN constexpr void deposit_integer(int64_t* limb, int64_t v, int position) {
  const bool negative = v < 0;
  const auto bits = static_cast<uint64_t>(v);
  deposit([&](int k, int64_t digit) { limb[k] += digit; }, negative ? 0 - bits : bits, negative,
          position);
}

#if defined(__GNUC__) && !defined(__CUDACC__)
#define ONEFOLD_APART __attribute__((noinline))
inline void memory_barrier() { __asm__ volatile("" : : : "memory"); }
#else
#define ONEFOLD_APART
#endif
// Keeps a compiler from adding neighbouring words as one vector: its load would wait for the stores
// of the element before (2.5 times slower, g++ 12).
ONEFOLD_FN constexpr void keep_words_apart() {
#if defined(__GNUC__) && !defined(__CUDACC__)
  if (!__builtin_is_constant_evaluated()) memory_barrier();
#endif
}

// Adds (m ^ sign) - sign times 2^(unit + position), m < 2^bits, without a branch.
template <int bits>
ONEFOLD_FN constexpr void deposit_signed(int64_t* limb, uint64_t m, uint64_t sign,
                                         unsigned position) {
  int64_t* const to = limb + position / 32;
  const unsigned shift = position % 32;
  const uint64_t low = (m & 0xffffffffu) << shift, high = ((m >> 32) << shift) + (low >> 32);
  to[0] += static_cast<int64_t>(((low & 0xffffffffu) ^ sign) - sign);
  keep_words_apart();
  to[1] += static_cast<int64_t>(((high & 0xffffffffu) ^ sign) - sign);
  if constexpr (bits + 31 > 64) {
    keep_words_apart();
    to[2] += static_cast<int64_t>(((high >> 32) ^ sign) - sign);
  }
}
// Adds one finite number, or the product of two.
template <class T>
ONEFOLD_FN constexpr void deposit_float(int64_t* limb, T x) {
  const Fields v = fields_of(x);
  deposit_signed<significand_bits<T>>(limb, v.mantissa, v.sign, static_cast<unsigned>(v.field - 1));
}
template <class T>
ONEFOLD_FN constexpr void deposit_product(int64_t* limb, T x, T y) {
  constexpr int bits = 2 * significand_bits<T>;
  const Fields a = fields_of(x), b = fields_of(y);
  const auto position = static_cast<unsigned>(a.field + b.field - 2);
  if constexpr (bits <= 64) {
    deposit_signed<bits>(limb, a.mantissa * b.mantissa, a.sign ^ b.sign, position);
  } else {
    const Uint128 p = static_cast<Uint128>(a.mantissa) * b.mantissa;
    deposit_signed<64>(limb, static_cast<uint64_t>(p), a.sign ^ b.sign, position);
    deposit_signed<bits - 64>(limb + 2, static_cast<uint64_t>(p >> 64), a.sign ^ b.sign, position);
  }
}
// Returns whether x is neither NaN nor an infinity.
template <class T>
ONEFOLD_FN constexpr bool is_finite(T x) {
  if constexpr (Floating<T>) {
    return (bit_cast<bits_of<T>>(x) & (sign_bit<T> - 1)) < infinity_bits<T>;
  } else {
    return true;
  }
}

// The greatest |x| of a block, and a number that is not above any |x| but 0, as upper bits of x.
struct Range {
  int32_t high, low;
};
template <class T>
ONEFOLD_FN constexpr Range range_of(const T* p) {
  constexpr int drop = sizeof(T) == 8 ? 32 : 0;
  constexpr auto most = static_cast<int32_t>((sign_bit<T> - 1) >> drop);
  int32_t high = 0, low = most;
  for (int i = 0; i < block; ++i) {
    const uint64_t bits = bit_cast<bits_of<T>>(p[i]);
    const int32_t upper = static_cast<int32_t>(bits >> drop) & most;
    // A zero becomes `most`.
    const int32_t less = (drop == 0 || static_cast<uint32_t>(bits) == 0 ? upper - 1 : upper) & most;
    high = upper > high ? upper : high;
    low = less < low ? less : low;
  }
  return {high, low};
}

// Adds a block whose fields are at least `lowest`, and at most lowest + 23 (f64), + 31 (f32).
template <class T>
ONEFOLD_FN constexpr void add_as_integers(int64_t* limb, const T* p, int lowest) {
  int64_t low = 0, high = 0;
  for (int i = 0; i < block; ++i) {
    const Fields v = fields_of(p[i]);
    const uint64_t shift = (v.field - static_cast<uint64_t>(lowest)) & 63;  // of 0: its field is 1
    if constexpr (sizeof(T) == 8) {
      low += static_cast<int64_t>((((v.mantissa & 0xffffffffu) << shift) ^ v.sign) - v.sign);
      high += static_cast<int64_t>((((v.mantissa >> 32) << shift) ^ v.sign) - v.sign);
    } else {
      low += static_cast<int64_t>(((v.mantissa << shift) ^ v.sign) - v.sign);
    }
  }
  deposit_integer(limb, low, lowest - 1);
  if (high != 0) deposit_integer(limb, high, lowest - 1 + 32);
}

// Adds a block of f32 or bf16 with normal numbers and zeros only: each sum is a multiple of
// 2^(unit + lowest - 1), below 2^53 of them.
template <class T>
ONEFOLD_FN constexpr void add_as_doubles(int64_t* limb, const T* p, int lowest) {
  double lane[8] = {};
  for (int i = 0; i < block; i += 8) {
    for (int k = 0; k < 8; ++k) {
      if constexpr (sizeof(T) == 4) {
        lane[k] += static_cast<double>(p[i + k]);
      } else {
        lane[k] += static_cast<double>(bit_cast<float>(uint32_t{p[i + k].bits} << 16));
      }
    }
  }
  double all = 0;
  for (int k = 0; k < 8; ++k) all += lane[k];
  const int exponent = 1 - lowest - unit_of<T>;
  const auto scale = bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52);
  deposit_integer(limb, static_cast<int64_t>(all * scale), lowest - 1);
}

// Adds a block of any exponents: numbers that begin at the same limb are added first, f64 as a
// digit and what is above it. Returns how many digits a limb got.
template <class T>
ONEFOLD_FN constexpr uint32_t add_by_limb(int64_t* limb, const T* p) {
  constexpr bool wide = sizeof(T) == 8;
  constexpr int bins = (1 << float_format(dtype_of<T>).exponent_bits) / 32;
  int64_t low[bins] = {}, high[bins] = {};
  for (int i = 0; i < block; ++i) {
    const Fields v = fields_of(p[i]);
    const auto position = static_cast<unsigned>(v.field - 1);
    const unsigned k = position / 32, shift = position % 32;
    if constexpr (wide) {
      const uint64_t digit = (v.mantissa & 0xffffffffu) << shift;
      const uint64_t above = ((v.mantissa >> 32) << shift) + (digit >> 32);
      low[k] += static_cast<int64_t>(((digit & 0xffffffffu) ^ v.sign) - v.sign);
      high[k] += static_cast<int64_t>((above ^ v.sign) - v.sign);
    } else {
      high[k] += static_cast<int64_t>(((v.mantissa << shift) ^ v.sign) - v.sign);
    }
  }
  for (int k = 0; k < bins; ++k) {
    if (wide) limb[k] += low[k];
    limb[k + wide] += high[k] & 0xffffffff;
    limb[k + wide + 1] += high[k] >> 32;
  }
  return wide ? block + 2 : 2;
}

// Adds a block of finite elements, of which some are not 0. Returns how many digits a limb got.
template <class T>
ONEFOLD_APART ONEFOLD_FN constexpr uint32_t add_block(int64_t* limb, const T* p, Range r) {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  constexpr int drop = f.mantissa_bits - (sizeof(T) == 8 ? 32 : 0);
  constexpr int left = 53 - log2_of_block - significand_bits<T>;
  const int least = r.low >> drop, lowest = least > 1 ? least : 1;
  const int span = (r.high >> drop) - lowest;
  if constexpr (sizeof(T) == 4 || dtype_of<T> == DType::bf16) {
    if (span <= left && r.low >= 1 << drop) {
      add_as_doubles(limb, p, lowest);
      return 1;
    }
  }
  constexpr int most = 63 - log2_of_block - (sizeof(T) == 8 ? 32 : significand_bits<T>);
  if (span <= most) {
    add_as_integers(limb, p, lowest);
    return 2;
  }
  return add_by_limb(limb, p);
}

// Adds a block of integers.
template <class T>
ONEFOLD_FN constexpr void add_integers(int64_t* limb, const T* p, int n) {
  int64_t low = 0, high = 0;
  for (int i = 0; i < n; ++i) {
    if constexpr (dtype_of<T> == DType::boolean) {
      low += p[i].byte != 0 ? 1 : 0;
    } else if constexpr (sizeof(T) < 8) {
      low += static_cast<int64_t>(p[i]);
    } else {
      low += static_cast<int64_t>(static_cast<uint64_t>(p[i]) & 0xffffffffu);
      high += static_cast<int64_t>(p[i] >> 32);
    }
  }
  deposit_integer(limb, low, 0);
  deposit_integer(limb, high, 32);
}

}  // namespace detail

// Reads and writes the parts of a saved state: docs/format.md.

namespace detail {

// CRC-32 as in zlib.
ONEFOLD_FN constexpr uint32_t crc32_of_bytes(const unsigned char* p, Size n) {
  uint32_t crc = 0xffffffffu;
  for (Size i = 0; i < n; ++i) {
    crc ^= p[i];
    for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

ONEFOLD_FN constexpr Size length_of(const char* text) {
  Size n = 0;
  while (text[n] != 0) ++n;
  return n;
}

// Writes numbers and texts, one behind the other.
struct ByteWriter {
  unsigned char* to;
  ONEFOLD_FN constexpr void number(uint64_t v, int bytes = 8) {
    for (int k = 0; k < bytes; ++k) *to++ = static_cast<unsigned char>((v >> (8 * k)) & 0xff);
  }
  ONEFOLD_FN constexpr void raw(const char* text, Size n) {
    for (Size k = 0; k < n; ++k) *to++ = static_cast<unsigned char>(text[k]);
  }
  ONEFOLD_FN constexpr void text(const char* t) {
    number(length_of(t));
    raw(t, length_of(t));
  }
};

// Reads them from bytes that are as many as all reads need.
struct ByteReader {
  const unsigned char* from;
  bool same = true;  // all that was expected was there
  ONEFOLD_FN constexpr uint64_t number(int bytes = 8) {
    uint64_t v = 0;
    for (int k = 0; k < bytes; ++k) v |= uint64_t{*from++} << (8 * k);
    return v;
  }
  ONEFOLD_FN constexpr void expect(uint64_t v) { same = number() == v && same; }
  ONEFOLD_FN constexpr void expect_raw(const char* text, Size n) {
    for (Size k = 0; k < n; ++k) same = *from++ == static_cast<unsigned char>(text[k]) && same;
  }
  ONEFOLD_FN constexpr void expect_text(const char* t) {
    expect(length_of(t));
    expect_raw(t, length_of(t));
  }
};

}  // namespace detail

// What exact sums of one kind have in common: words that merge, leave, and become bytes.
//
//   words    those of accumulators, one after another; limbs wait for carries
//   merge    adds words, in any order: equal data give equal bytes
//   remove   the inverse of merge
//   save     the bytes of docs/format.md, of the NaN policy "propagate"

namespace detail {

template <class A, class B>
inline constexpr bool same_type = false;
template <class A>
inline constexpr bool same_type<A, A> = true;

// Whether an accumulator has limbs, as all but tally have.
template <class A, class = void>
inline constexpr bool has_limbs = false;
template <class A>
inline constexpr bool has_limbs<A, decltype(void(A::limbs))> = true;

// Self    the class that derives from this one. It has name(k), the names of its accumulators, and
//         sums_possible(), whether some data can give its canonical sums
// Counts  that accumulator which counts the elements: tally or dot
// A       all accumulators, in the order of their names
template <class Self, class T, class Counts, class... A>
class ExactState {
  static_assert(
      is_element<T> && !same_type<T, bool>,
      "elements are float, double, onefold::float16, onefold::bfloat16, onefold::Bool8, or "
      "intN_t and uintN_t");

 public:
  using Element = T;
  static constexpr int word_count = (A::words + ...);

  // The number of elements, including NaN and infinities.
  ONEFOLD_FN constexpr Size count() const { return static_cast<Size>(counts()[Counts::n]); }

  // Adds the elements of `o`, which may be this state.
  ONEFOLD_FN constexpr void merge(const Self& o) {
    const ExactState& other = o;
    if (count() + other.count() > static_cast<Size>(int64_max)) refuse();
    const uint32_t digits = other.digits_ + 1;
    for (int k = 0; k < word_count; ++k) words_[k] += other.words_[k];
    deposited(digits);
  }
  // Takes the elements of `o` away, which were added before. Returns false, and changes nothing, if
  // the rest sums to 0 and nobody knows whether all of it is -0, or if no data have the rest's
  // count and sums. Not every rest that no data have is found.
  [[nodiscard]] ONEFOLD_FN constexpr bool remove(const Self& o) {
    ExactState rest = *this, other = o;
    rest.carry_all();
    other.carry_all();
    if (other.count() > rest.count()) return false;
    constexpr int flag = offset<Counts>() + Counts::not_negative_zero;
    const int64_t before = rest.words_[flag], removed = other.words_[flag];
    for (int k = 0; k < word_count; ++k) rest.words_[k] -= other.words_[k];
    rest.carry_all();
    rest.words_[flag] = before;
    if (removed != 0) {
      const bool known = rest.infinite() || !rest.sums_are_zero();
      const bool numbers = rest.counts()[Counts::n] != rest.counts()[Counts::nan];
      if (before == 0 || (numbers && !known)) return false;
      rest.words_[flag] = known ? 1 : 0;
    }
    if (!rest.possible()) return false;
    *this = rest;
    return true;
  }

  // A merge, as TBB and Kokkos call it, and for std::accumulate, std::reduce and OpenMP.
  ONEFOLD_FN constexpr void join(const Self& o) { merge(o); }
  ONEFOLD_FN constexpr Self& operator+=(const Self& o) {
    merge(o);
    return self();
  }
  ONEFOLD_FN friend constexpr Self operator+(Self a, const Self& b) {
    a.merge(b);
    return a;
  }
  ONEFOLD_FN friend constexpr bool operator==(const Self& a, const Self& b) {
    ExactState x = a, y = b;
    x.carry_all();
    y.carry_all();
    bool same = true;
    for (int k = 0; k < word_count; ++k) same = same && x.words_[k] == y.words_[k];
    return same;
  }
  ONEFOLD_FN friend constexpr bool operator!=(const Self& a, const Self& b) { return !(a == b); }

  // Words that any sum of 64-bit integers merges, such as MPI_Allreduce with MPI_INT64_T and
  // MPI_SUM over at most 2^30 ranks: the reduction in place of words(), then words_added().
  ONEFOLD_FN constexpr int64_t* words() {
    carry_all();
    return words_;
  }
  ONEFOLD_FN constexpr void words_added() { carry_all(); }

  ONEFOLD_FN static constexpr Size saved_bytes() {
    Size bytes = 8 + 8 + length_of(name_of(dtype_of<T>)) + 8 + 9 + 3 * 8 + 8 + 4;
    for (int k = 0; k < static_cast<int>(sizeof...(A)); ++k) bytes += 8 + length_of(Self::name(k));
    return bytes + 8 * static_cast<Size>(word_count);
  }
  // Writes saved_bytes() bytes.
  ONEFOLD_FN constexpr void save(unsigned char* to) const {
    ExactState s = *this;
    s.carry_all();
    ByteWriter w{to};
    w.raw("1fold\r\n\2", 8);
    w.text(name_of(dtype_of<T>));
    w.text("propagate");
    w.number(count());
    w.number(0);
    w.number(0);
    int name = 0, word = 0;
    const auto write = [&](int words) {
      w.text(Self::name(name++));
      for (int k = 0; k < words; ++k) w.number(static_cast<uint64_t>(s.words_[word++]));
    };
    (write(A::words), ...);
    w.number(0);
    w.number(crc32_of_bytes(to, saved_bytes() - 4), 4);
  }
  // Reads bytes that save() wrote, or that the library saved for the same ops, type and policy.
  // Returns false, and changes nothing, if the bytes are damaged or no data can give their counts
  // and sums (the library checks that by more rules).
  [[nodiscard]] ONEFOLD_FN constexpr bool load(const unsigned char* from, Size bytes) {
    if (bytes != saved_bytes()) return false;
    ByteReader r{from};
    r.expect_raw("1fold\r\n\2", 8);
    r.expect_text(name_of(dtype_of<T>));
    r.expect_text("propagate");
    const uint64_t n = r.number();
    r.expect(0);
    r.expect(0);
    ExactState s;
    int name = 0, word = 0;
    const auto read = [&](int words) {
      r.expect_text(Self::name(name++));
      for (int k = 0; k < words; ++k) s.words_[word++] = static_cast<int64_t>(r.number());
    };
    (read(A::words), ...);
    r.expect(0);
    if (!r.same || r.number(4) != crc32_of_bytes(from, bytes - 4) || s.count() != n) return false;
    if (!(s.template has_digits<A>() && ...)) return false;
    ExactState canonical = s;
    canonical.carry_all();
    for (int k = 0; k < word_count; ++k) {
      if (canonical.words_[k] != s.words_[k]) return false;
    }
    if (!canonical.possible()) return false;
    *this = canonical;
    return true;
  }

 protected:
  template <class B>
  ONEFOLD_FN static constexpr int offset() {
    int at = 0;
    bool found = false;
    ((found = found || same_type<A, B>, at += found ? 0 : A::words), ...);
    return at;
  }
  template <class B>
  ONEFOLD_FN constexpr const int64_t* at() const {
    return words_ + offset<B>();
  }
  template <class B>
  ONEFOLD_FN constexpr int64_t* at() {
    return words_ + offset<B>();
  }
  ONEFOLD_FN constexpr const int64_t* counts() const { return at<Counts>(); }

  // Returns these words with carries passed on.
  ONEFOLD_FN constexpr Self canonical() const {
    Self s = static_cast<const Self&>(*this);
    s.carry_all();
    return s;
  }
  ONEFOLD_FN constexpr void carry_all() {
    (A::canonicalise(at<A>()), ...);
    digits_ = 1;
  }
  // Notes that limbs got so many digits; fewer than 2^31 fit.
  ONEFOLD_FN constexpr void deposited(uint32_t digits) {
    digits_ += digits;
    if (digits_ >= uint32_t{1} << 30) carry_all();
  }
  template <class B, class... X>
  ONEFOLD_FN constexpr void lift(X... x) {
    int64_t* const w = at<B>();
    B::lift([&](int k, int64_t v) { w[k] += v; }, x..., Size{0});
  }
  ONEFOLD_FN constexpr Tally tally() const {
    return tally_of<Counts>(counts(), NanPolicy::propagate);
  }

  int64_t words_[word_count] = {};

 private:
  ONEFOLD_FN constexpr Self& self() { return static_cast<Self&>(*this); }
  ONEFOLD_FN constexpr bool infinite() const {
    const Tally t = tally();
    return t.infinite() || t.invalid != 0;
  }
  template <class B>
  ONEFOLD_FN constexpr bool is_zero() const {
    if constexpr (has_limbs<B>) {
      return find_digits(at<B>(), B::limbs).zero();
    } else {
      return true;
    }
  }
  // Whether all limbs but the last are digits, as carries leave them.
  template <class B>
  ONEFOLD_FN constexpr bool has_digits() const {
    bool digits = true;
    if constexpr (has_limbs<B>) {
      for (int k = 0; k + 1 < B::limbs; ++k) digits = digits && at<B>()[k] >> 32 == 0;
    }
    return digits;
  }
  ONEFOLD_FN constexpr bool sums_are_zero() const { return (is_zero<A>() && ...); }
  // Returns whether n elements may have this sum: limbs have room for 64 bits above one element.
  template <class B>
  ONEFOLD_FN constexpr bool fits(Size n) const {
    if constexpr (has_limbs<B>) {
      const auto d = find_digits(at<B>(), B::limbs);
      if (d.zero()) return true;
      return 32 * d.high + bit_length(uint64_t{d(d.high)}) <= 32 * (B::limbs - 2) + bit_length(n);
    } else {
      return true;
    }
  }
  // Returns whether some data can give these canonical words, by necessary conditions.
  ONEFOLD_FN constexpr bool possible() const {
    constexpr int specials[] = {Counts::nan, Counts::positive_infinity, Counts::negative_infinity,
                                invalid_of<Counts>()};
    const int64_t* const w = counts();
    int64_t finite = w[Counts::n];
    for (int k = 0; k < (counts_invalid<Counts> ? 4 : 3); ++k) {
      if (w[specials[k]] < 0 || w[specials[k]] > finite) return false;
      finite -= w[specials[k]];
    }
    if (finite < 0) return false;
    const bool flag = w[Counts::not_negative_zero] != 0;
    if (!Floating<T> && (flag || finite != w[Counts::n])) return false;
    if (flag && w[Counts::nan] == w[Counts::n]) return false;
    if (Floating<T> && !flag && infinite()) return false;
    const bool zero = finite == 0 || (Floating<T> && !flag);
    if (zero && !sums_are_zero()) return false;
    if (!(fits<A>(static_cast<Size>(finite)) && ...)) return false;
    return static_cast<const Self&>(*this).sums_possible(static_cast<Size>(finite));
  }
  template <class B>
  ONEFOLD_FN static constexpr int invalid_of() {
    if constexpr (counts_invalid<B>) {
      return B::invalid;
    } else {
      return 0;
    }
  }

  uint32_t digits_ = 1;  // how many digits a limb may hold
};

}  // namespace detail

// States that count their elements by a tally, and hold their sum: what ExactSum, ExactVar and
// ExactMoments have in common.

namespace detail {

// The sums of powers of n elements as long integers, which formulas read.
template <int digits>
struct PowerSums {
  using Number = LongInteger<digits>;
  Number n, powers[4];

  ONEFOLD_FN constexpr const Number& operator()(Term t) const {
    return t == Term::x      ? powers[0]
           : t == Term::xx   ? powers[1]
           : t == Term::xxx  ? powers[2]
           : t == Term::xxxx ? powers[3]
                             : n;
  }
};

// The limbs that are not 0 lie from `begin` up to `end`.
struct LimbSpan {
  int begin = 0, end = 0;
};
ONEFOLD_FN constexpr LimbSpan used_limbs(const int64_t* limb, int n) {
  LimbSpan s{0, n};
  while (s.begin + 4 <= n &&
         (limb[s.begin] | limb[s.begin + 1] | limb[s.begin + 2] | limb[s.begin + 3]) == 0) {
    s.begin += 4;
  }
  while (s.begin < n && limb[s.begin] == 0) ++s.begin;
  while (s.end - 4 >= s.begin &&
         (limb[s.end - 1] | limb[s.end - 2] | limb[s.end - 3] | limb[s.end - 4]) == 0) {
    s.end -= 4;
  }
  while (s.end > s.begin && limb[s.end - 1] == 0) --s.end;
  return s;
}

template <class Self, class T, class... A>
class TallyState : public ExactState<Self, T, accumulator::tally<T>, A...> {
  using Tallied = accumulator::tally<T>;
  using Summed = accumulator::sum<T>;

 public:
  // The sum. U: any floating-point type, or an integer type if T is one.
  //   throws  Overflow: an integer type U cannot hold it
  template <class U = SumOf<T>>
  ONEFOLD_FN constexpr U sum() const {
    static_assert(Floating<U> || !Floating<T>, "a sum of floats is a float");
    return rounded<U>(this->canonical().sum_of_all());
  }
  template <class U = FractionOf<T>>
  ONEFOLD_FN constexpr U mean() const {
    static_assert(Floating<U>, "a mean is a float");
    return rounded<U>(divided_by(this->canonical().sum_of_all(), this->count()));
  }

 protected:
  // Adds one element to the tally and to the sum. Returns whether it is finite.
  ONEFOLD_FN constexpr bool add_one(T x) {
    if constexpr (Floating<T>) {
      const uint64_t bits = bit_cast<bits_of<T>>(x);
      if (!is_finite(x)) {
        this->template lift<Tallied>(x);
        return false;
      }
      int64_t* const tally = this->template at<Tallied>();
      tally[Tallied::n] += 1;
      tally[Tallied::not_negative_zero] += bits != sign_bit<T> ? 1 : 0;
      deposit_float(this->template at<Summed>(), x);
    } else {
      this->template lift<Tallied>(x);
      this->template lift<Summed>(x);
    }
    this->deposited(1);
    return true;
  }
  // Adds the square of a finite element.
  ONEFOLD_FN constexpr void add_square(T x) {
    this->deposited(2);
    if constexpr (Floating<T>) {
      deposit_product(this->template at<accumulator::sumsq<T>>(), x, x);
    } else {
      this->template lift<accumulator::sumsq<T>>(x);
    }
  }
  // Adds an array to the tally and to the sum.
  ONEFOLD_FN constexpr void add_all(const T* p, Size n) {
    int64_t* const tally = this->template at<Tallied>();
    int64_t* const limb = this->template at<Summed>();
    if constexpr (Floating<T>) {
      constexpr auto infinite =
          static_cast<int32_t>((infinity_bits<T>) >> (sizeof(T) == 8 ? 32 : 0));
      while (n >= block) {
        const Range r = range_of(p);
        if (r.high >= infinite || r.high == 0) {
          for (int k = 0; k < block; ++k) add_one(p[k]);
        } else {
          tally[Tallied::n] += block;
          tally[Tallied::not_negative_zero] += 1;
          this->deposited(add_block(limb, p, r));
        }
        p += block;
        n -= block;
      }
      for (Size k = 0; k < n; ++k) add_one(p[k]);
    } else {
      while (n > 0) {
        const int some = n < 65536 ? static_cast<int>(n) : 65536;
        add_integers(limb, p, some);
        tally[Tallied::n] += some;
        this->deposited(2);
        p += some;
        n -= static_cast<Size>(some);
      }
    }
  }

  // Returns the sum of canonical words.
  ONEFOLD_FN constexpr Real sum_of_all() const {
    const LimbView view{this->template at<Summed>(), Summed::limbs, Summed::unit};
    return signed_sum(view, this->tally(), 0);
  }
  // Evaluates a formula; carries may wait.
  template <Statistic is>
  ONEFOLD_FN constexpr Real formula_of(int64_t ddof = 0) const {
    const Tally t = this->tally();
    if (t.nan != 0 || t.n == 0 || t.infinite()) return Real::nan();
    int64_t few[(power_count<is> * (power_count<is> + 1) / 2) * few_digits + 2 * power_count<is>] =
        {};
    PowerDigits p;
    const int drop = copy_few<is>(few, p);
    if (drop >= 0 && p.size <= few_digits) {
      if constexpr (is == Statistic::variance) {
        if ((t.n >> 32) == 0 && !p.powers[1].negative) {
          return variance_of(few_spread(p, t.n, drop + p.drop), t.n, ddof);
        }
      } else {
        return answer_of<is>(power_sums<is, few_digits>(p, t.n), t.n, ddof, drop + p.drop);
      }
    }
    const Self canonical = this->canonical();
    p = static_cast<const TallyState&>(canonical).template power_digits<is>();
    return answer_of<is>(power_sums<is>(p, t.n), t.n, ddof, p.drop);
  }
  // Whether n Q >= S^2, as it is of n finite elements.
  ONEFOLD_FN constexpr bool spread_possible(Size n) const {
    const auto p = power_digits<Statistic::variance>();
    const auto s = power_sums<Statistic::variance>(p, n);
    return !s.powers[1].negative && !formula::spread_x(s).negative;
  }

 private:
  // The sums of powers that a formula reads, in units of 2^(32 k drop) for those of x^k: digits
  // below are 0.
  struct PowerDigits {
    Digits<const int64_t*> powers[4];
    int drop = Summed::limbs;
    int size = 0;  // the sum of x^k has at most k times so many digits

    ONEFOLD_FN constexpr void measure() {
      for (int k = 0; k < 4; ++k) {
        const int low = powers[k].low / (k + 1);
        if (!powers[k].zero() && low < drop) drop = low;
      }
      for (int k = 0; k < 4; ++k) {
        const int digits = powers[k].zero() ? 0 : powers[k].high + 1 - (k + 1) * drop;
        if (digits > (k + 1) * size) size = (digits + k) / (k + 1);
      }
    }
  };
  // Sums of x of so many digits are those of most data; their numbers fit a few cache lines.
  // bench/results/single.md has what that saves.
  static constexpr int few_digits = 8;

  template <Statistic is>
  static constexpr int power_count = is == Statistic::variance   ? 2
                                     : is == Statistic::kurtosis ? 4
                                                                 : 3;

  // Calls f(k, limbs, their number) for the sum of each power k + 1 that the formula reads.
  template <Statistic is, class F>
  ONEFOLD_FN constexpr void each_power(F f) const {
    f(0, this->template at<Summed>(), Summed::limbs);
    f(1, this->template at<accumulator::sumsq<T>>(), accumulator::sumsq<T>::limbs);
    if constexpr (is != Statistic::variance) {
      f(2, this->template at<accumulator::sumcube<T>>(), accumulator::sumcube<T>::limbs);
    }
    if constexpr (is == Statistic::kurtosis) {
      f(3, this->template at<accumulator::sumfourth<T>>(), accumulator::sumfourth<T>::limbs);
    }
  }
  // Of canonical words.
  template <Statistic is>
  ONEFOLD_FN constexpr PowerDigits power_digits() const {
    PowerDigits p;
    each_power<is>([&](int k, const int64_t* limb, int n) { p.powers[k] = find_digits(limb, n); });
    p.measure();
    return p;
  }
  // Copies the limbs that are not 0, if they are few, and passes their carries on, which costs less
  // than to copy all words and to pass the carries of all. Returns how many limbs of the sum below
  // are left out, k times as many of the sum of x^k; -1: there are more than a few.
  template <Statistic is>
  ONEFOLD_FN constexpr int copy_few(int64_t* few, PowerDigits& p) const {
    LimbSpan spans[4];
    int drop = Summed::limbs;
    each_power<is>([&](int k, const int64_t* limb, int n) {
      spans[k] = used_limbs(limb, n);
      const int low = spans[k].begin / (k + 1);
      if (spans[k].begin < spans[k].end && low < drop) drop = low;
    });
    bool fits = true;
    each_power<is>([&](int k, const int64_t* limb, int) {
      const int most = (k + 1) * few_digits + 2, below = (k + 1) * drop;
      const auto [begin, end] = spans[k];
      fits = fits && (begin == end || end - below < most);  // one is left for a carry
      if (!fits) return;
      for (int j = begin; j < end; ++j) few[j - below] = limb[j];
      carry(few, most);
      p.powers[k] = find_digits(few, most);
      few += most;
    });
    p.measure();
    return fits ? drop : -1;
  }
  template <Statistic is, int size = Summed::limbs>
  ONEFOLD_FN constexpr auto power_sums(const PowerDigits& p, Size n) const {
    // The longest number is a product of two sums of x, or of x^3 and what a quotient needs more.
    using Long = PowerSums<is == Statistic::variance ? 2 * size + 4 : 6 * size + 24>;
    using Number = typename Long::Number;
    Long s;
    s.n = Number(Uint128{n});
    s.powers[0] = Number(p.powers[0], p.drop);
    s.powers[1] = Number(p.powers[1], 2 * p.drop);
    if constexpr (is != Statistic::variance) s.powers[2] = Number(p.powers[2], 3 * p.drop);
    if constexpr (is == Statistic::kurtosis) s.powers[3] = Number(p.powers[3], 4 * p.drop);
    return s;
  }
  // n Q - S^2 of the sum S and the sum of squares Q.
  struct Spread {
    Leading magnitude;
    bool negative;
  };
  // Of few digits; n < 2^32, and Q >= 0.
  //   drop  by how many digits the sum of x begins above the unit
  ONEFOLD_FN static constexpr Spread few_spread(const PowerDigits& p, Size n, int drop) {
    constexpr int most = 2 * few_digits + 1;
    const auto& sum = p.powers[0];
    const auto& squares = p.powers[1];
    const int length = sum.zero() ? 0 : sum.high + 1 - p.drop;
    uint32_t s[few_digits] = {}, d[most] = {};
    for (int k = 0; k < length; ++k) s[k] = sum(k + p.drop);
    for (int i = 0; i < length; ++i) {
      uint64_t c = 0;
      for (int j = 0; j < length; ++j) {
        c += uint64_t{s[i]} * s[j] + d[i + j];
        d[i + j] = static_cast<uint32_t>(c);
        c >>= 32;
      }
      d[i + length] = static_cast<uint32_t>(c);
    }
    const int above = squares.high + 2 - 2 * p.drop, end = above > 2 * length ? above : 2 * length;
    uint64_t product = 0;
    int64_t borrow = 0;
    for (int k = 0; k < end; ++k) {
      product += uint64_t{n} * squares(k + 2 * p.drop);
      borrow += static_cast<int64_t>(product & 0xffffffffu) - int64_t{d[k]};
      d[k] = static_cast<uint32_t>(borrow);
      borrow >>= 32;
      product >>= 32;
    }
    if (borrow != 0) {
      uint64_t c = 1;
      for (int k = 0; k < end; ++k) {
        c += static_cast<uint32_t>(~d[k]);
        d[k] = static_cast<uint32_t>(c);
        c >>= 32;
      }
    }
    int low = 0, high = end - 1;
    while (high >= 0 && d[high] == 0) --high;
    if (high < 0) return {Leading(), false};
    while (d[low] == 0) ++low;
    const auto digit = [&](int k) { return d[k]; };
    return {leading_digits(digit, low, high, 2 * (unit_of<T> + 32 * drop)), borrow != 0};
  }
  ONEFOLD_FN static constexpr Real variance_of(const Spread& spread, Size n, int64_t ddof) {
    if (ddof >= static_cast<int64_t>(n)) return Real::nan();
    Real v;
    v.negative = spread.negative;
    v.numerator = spread.magnitude;
    v.n = n;
    v.left = n - static_cast<Size>(ddof);
    if ((v.n >> 16) == 0 && (v.left >> 16) == 0) {  // one division by 32 bits is quicker than two
      v.n *= v.left;
      v.left = 1;
    }
    return v;
  }
  template <Statistic is, class Sums>
  ONEFOLD_FN static constexpr Real answer_of(const Sums& s, Size n, int64_t ddof, int drop) {
    if constexpr (is != Statistic::variance) {
      return formula::real_of(formula::statistic<is>(s), 0);
    } else {
      const auto spread = formula::spread_x(s);
      return variance_of({leading(spread, 2 * (unit_of<T> + 32 * drop)), spread.negative}, n, ddof);
    }
  }
};

// Those that hold the sum of squares, too.
template <class Self, class T, class... A>
class SpreadState : public TallyState<Self, T, A...> {
 public:
  // (n Q - S^2) / (n (n - ddof)) of the sum S and the sum of squares Q; NaN for n <= ddof.
  template <class U = FractionOf<T>, class K = int64_t>
  ONEFOLD_FN constexpr U var(K ddof = 0) const {
    static_assert(K(1) / K(2) == 0, "ddof is an integer");
    return spread<U>(static_cast<int64_t>(ddof), false);
  }
  template <class U = FractionOf<T>, class K = int64_t>
  ONEFOLD_FN constexpr U std(K ddof = 0) const {
    static_assert(K(1) / K(2) == 0, "ddof is an integer");
    return spread<U>(static_cast<int64_t>(ddof), true);
  }
  // For ExactState.
  ONEFOLD_FN constexpr bool sums_possible(Size n) const { return this->spread_possible(n); }

 private:
  template <class U>
  ONEFOLD_FN constexpr U spread(int64_t ddof, bool root) const {
    static_assert(Floating<U>, "a variance is a float");
    Real r = this->template formula_of<Statistic::variance>(ddof);
    r.root = root;
    return rounded<U>(r);
  }
};

}  // namespace detail

// Exact sums of one array, and what follows from them: each answer is the formula over the real
// numbers, rounded once. docs/numerics.md has the rules for NaN, infinities and -0.
//
//   ExactSum      sum, mean
//   ExactVar      these, variance and deviation
//   ExactMoments  these, skewness and kurtosis

template <class T>
class ExactSum
    : public detail::TallyState<ExactSum<T>, T, accumulator::sum<T>, accumulator::tally<T>> {
 public:
  constexpr ExactSum() = default;
  ONEFOLD_FN constexpr explicit ExactSum(T x) { add(x); }

  ONEFOLD_FN constexpr void add(T x) { this->add_one(x); }
  // Adds an array: bench/results/single.md says how quickly.
  ONEFOLD_FN constexpr void add(const T* p, Size n) { this->add_all(p, n); }

  // The sum, rounded once. U: any floating-point type, or an integer type if T is one.
  //   throws  Overflow: an integer type U cannot hold it
  template <class U = detail::SumOf<T>>
  ONEFOLD_FN constexpr U value() const {
    return this->template sum<U>();
  }
  // The same, or `of_nothing` if there are no elements: Math.sumPrecise gives -0 then.
  template <class U = detail::SumOf<T>>
  ONEFOLD_FN constexpr U value_or(typename detail::Choice<true, U, U>::type of_nothing) const {
    return this->count() == 0 ? of_nothing : value<U>();
  }
  using detail::TallyState<ExactSum<T>, T, accumulator::sum<T>, accumulator::tally<T>>::operator+=;
  ONEFOLD_FN constexpr ExactSum& operator+=(T x) {
    add(x);
    return *this;
  }
  ONEFOLD_FN friend constexpr ExactSum operator+(ExactSum a, T x) {
    a.add(x);
    return a;
  }
  ONEFOLD_FN friend constexpr ExactSum operator+(T x, ExactSum a) {
    a.add(x);
    return a;
  }

  // ExactState calls these functions: the names of the accumulators, and whether sums are possible.
  ONEFOLD_FN static constexpr const char* name(int k) { return k == 0 ? "sum" : "tally"; }
  ONEFOLD_FN constexpr bool sums_possible(Size) const { return true; }
};

// For std::reduce, which would add two elements by themselves: std::reduce(begin, end,
// onefold::ExactSum<double>(), onefold::ExactPlus<double>()). RAJA asks for the identity.
template <class T>
struct ExactPlus {
  ONEFOLD_FN static constexpr ExactSum<T> identity() { return {}; }
  ONEFOLD_FN constexpr ExactSum<T> operator()(ExactSum<T> a, const ExactSum<T>& b) const {
    a.merge(b);
    return a;
  }
  ONEFOLD_FN constexpr ExactSum<T> operator()(ExactSum<T> a, T x) const {
    a.add(x);
    return a;
  }
  ONEFOLD_FN constexpr ExactSum<T> operator()(T x, ExactSum<T> a) const {
    a.add(x);
    return a;
  }
  ONEFOLD_FN constexpr ExactSum<T> operator()(T x, T y) const {
    ExactSum<T> a(x);
    a.add(y);
    return a;
  }
};

template <class T>
class ExactVar : public detail::SpreadState<ExactVar<T>, T, accumulator::sum<T>,
                                            accumulator::sumsq<T>, accumulator::tally<T>> {
 public:
  ONEFOLD_FN constexpr void add(T x) {
    if (this->add_one(x)) this->add_square(x);
  }
  ONEFOLD_FN constexpr void add(const T* p, Size n) {
    this->add_all(p, n);
    for (Size i = 0; i < n; ++i) {
      if (detail::is_finite(p[i])) this->add_square(p[i]);
    }
  }

  // ExactState calls this function: the names of the accumulators, in their order.
  ONEFOLD_FN static constexpr const char* name(int k) {
    return k == 0 ? "sum" : k == 1 ? "sumsq" : "tally";
  }
};

template <class T>
class ExactMoments : public detail::SpreadState<ExactMoments<T>, T, accumulator::sum<T>,
                                                accumulator::sumcube<T>, accumulator::sumfourth<T>,
                                                accumulator::sumsq<T>, accumulator::tally<T>> {
 public:
  ONEFOLD_FN constexpr void add(T x) {
    if (!this->add_one(x)) return;
    this->add_square(x);
    this->template lift<accumulator::sumcube<T>>(x);
    this->template lift<accumulator::sumfourth<T>>(x);
  }
  ONEFOLD_FN constexpr void add(const T* p, Size n) {
    for (Size i = 0; i < n; ++i) add(p[i]);
  }
  // m3 / m2^(3/2), and m4 / m2^2 - 3, of the central moments over n; NaN if all elements are equal.
  template <class U = detail::FractionOf<T>>
  ONEFOLD_FN constexpr U skewness() const {
    return detail::rounded<U>(this->template formula_of<Statistic::skewness>());
  }
  template <class U = detail::FractionOf<T>>
  ONEFOLD_FN constexpr U kurtosis() const {
    return detail::rounded<U>(this->template formula_of<Statistic::kurtosis>());
  }

  // ExactState calls this function: the names of the accumulators, in their order.
  ONEFOLD_FN static constexpr const char* name(int k) {
    return k == 0 ? "sum" : k == 1 ? "sumcube" : k == 2 ? "sumfourth" : k == 3 ? "sumsq" : "tally";
  }
};

// The sum of the products of two arrays' elements, with its own counts.
//
//   words    limbs as in sumsq; n; numbers of pairs with a NaN, inf * 0, products +inf and -inf;
//            a flag: the product of some pair without NaN is not -0
//   empty    0
//   NaN      a pair with a NaN is counted and not added; so is inf * 0
//   exact    yes

namespace accumulator {

template <class T>
struct dot {
  using Element = T;
  static constexpr int unit = 2 * unit_of<T>;
  static constexpr int limbs = limbs_for(2 * value_bits<T>);
  enum : int {
    n = limbs,
    nan,
    invalid,
    positive_infinity,
    negative_infinity,
    not_negative_zero,
    words
  };

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, T y, Size) {
    add(n, 1);
    const Numeric a = numeric(x), b = numeric(y);
    const bool negative = a.negative != b.negative;
    if constexpr (Floating<T>) {
      const Decoded c = decode(x), d = decode(y);
      if (c.nan || d.nan) {
        add(nan, 1);
        return;
      }
      const bool zero = c.zero() || d.zero();
      if (!(zero && negative && c.finite() && d.finite())) add(not_negative_zero, 1);
      if (c.infinite || d.infinite) {
        add(zero ? invalid : negative ? negative_infinity : positive_infinity, 1);
        return;
      }
    }
    if (a.mantissa != 0 && b.mantissa != 0) {
      deposit(add, static_cast<Uint128>(a.mantissa) * b.mantissa, negative, a.shift + b.shift);
    }
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) {
    carry(w, limbs);
    w[not_negative_zero] = w[not_negative_zero] != 0;
  }
};

}  // namespace accumulator

// The exact sum of the products of two arrays: rounded once, with the rules of docs/numerics.md.

template <class T>
class ExactDot
    : public detail::ExactState<ExactDot<T>, T, accumulator::dot<T>, accumulator::dot<T>> {
  using Products = accumulator::dot<T>;

 public:
  ONEFOLD_FN constexpr void add(T x, T y) {
    this->deposited(2);
    if constexpr (Floating<T>) {
      if (detail::is_finite(x) && detail::is_finite(y)) {
        int64_t* const w = this->template at<Products>();
        const uint64_t a = bit_cast<bits_of<T>>(x), b = bit_cast<bits_of<T>>(y);
        const bool zero = decode(x).zero() || decode(y).zero();
        w[Products::n] += 1;
        w[Products::not_negative_zero] += !zero || ((a ^ b) & detail::sign_bit<T>) == 0 ? 1 : 0;
        detail::deposit_product(w, x, y);
        return;
      }
    }
    this->template lift<Products>(x, y);
  }
  ONEFOLD_FN constexpr void add(const T* x, const T* y, Size n) {
    for (Size i = 0; i < n; ++i) add(x[i], y[i]);
  }
  // The sum, rounded once to U, which is as in ExactSum.
  template <class U = detail::SumOf<T>>
  ONEFOLD_FN constexpr U value() const {
    static_assert(Floating<U> || !Floating<T>, "a sum of floats is a float");
    return detail::rounded<U>(this->canonical().sum_of_all());
  }
  // The square root of the sum, rounded once: the norm of x, if y is x. NaN of a sum below 0.
  template <class U = detail::FractionOf<T>>
  ONEFOLD_FN constexpr U norm() const {
    return detail::rounded<U>(detail::root_of(this->canonical().sum_of_all()));
  }

  // ExactState calls these functions: the names of the accumulators, and whether sums are possible.
  ONEFOLD_FN static constexpr const char* name(int) { return "dot"; }
  ONEFOLD_FN constexpr bool sums_possible(Size) const { return true; }

 private:
  ONEFOLD_FN constexpr Real sum_of_all() const {
    const auto* const w = this->template at<Products>();
    return signed_sum(detail::LimbView{w, Products::limbs, Products::unit}, this->tally(), 0);
  }
};

}
}  // namespace onefold

#undef ONEFOLD_FN
#undef ONEFOLD_INT128
#undef ONEFOLD_COLD
#undef ONEFOLD_ROLLED
#undef ONEFOLD_APART
#undef ONEFOLD_DTYPES
#undef ONEFOLD_EXACT_NAMESPACE
#undef ONEFOLD_1
#undef ONEFOLD_SECOND
#undef ONEFOLD_EXPANDED
#undef ONEFOLD_IS_ONE
#undef ONEFOLD_PASTED
#undef ONEFOLD_ON
#undef ONEFOLD_JOINED
#undef ONEFOLD_JOIN
#undef ONEFOLD_INLINE_NAME
#undef ONEFOLD_TARGET_1
#undef ONEFOLD_TARGET_2
#undef ONEFOLD_TARGET_3
#endif  // ONEFOLD_EXACT_HPP
