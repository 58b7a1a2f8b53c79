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

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#define ONEFOLD_FN __host__ __device__
#else
#define ONEFOLD_FN
#endif

namespace onefold {

// Element counts and indices: 64 bits everywhere, arrays pass 2^31 elements.
using Size = uint64_t;

#if defined(__CUDACC__)
using Int128 = __int128;
using Uint128 = unsigned __int128;
#else
__extension__ typedef __int128 Int128;  // -Wpedantic would warn without __extension__
__extension__ typedef unsigned __int128 Uint128;
#endif

inline constexpr int64_t int64_max = 0x7fffffffffffffff;

// The index that stands for "no element".
inline constexpr Size none = ~Size{0};

template <class To, class From>
ONEFOLD_FN constexpr To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

// Number of bits of `v`; 0 for 0.
ONEFOLD_FN constexpr int bit_length(uint64_t v) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) return 64 - __clzll(static_cast<long long>(v));
  int n = 0;
  for (; v != 0; v >>= 1) ++n;
  return n;
#else
  return v == 0 ? 0 : 64 - __builtin_clzll(v);
#endif
}
ONEFOLD_FN constexpr int bit_length(Uint128 v) {
  const auto high = static_cast<uint64_t>(v >> 64);
  return high != 0 ? 64 + bit_length(high) : bit_length(static_cast<uint64_t>(v));
}

}  // namespace onefold
