// Names that every other header uses. Includes no header under NVRTC: run-time compilation is 10
// times slower with system headers.
#pragma once

#if defined(__CUDACC_RTC__)
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
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
#include "onefold/core/uint128.inl"
#endif

namespace onefold {

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

}  // namespace onefold
