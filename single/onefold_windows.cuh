// What a thread's registers hold of a sum, for each type: for onefold_thread.cuh.
#pragma once

// Whether windows add f32 in FP32 and f64 as integers: for chips with few FP64 lanes. Same bits.
#if !defined(ONEFOLD_INTEGER_WINDOWS)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750 && __CUDA_ARCH__ != 800 && \
    __CUDA_ARCH__ != 900 && __CUDA_ARCH__ != 1000
#define ONEFOLD_INTEGER_WINDOWS 1
#else
#define ONEFOLD_INTEGER_WINDOWS 0
#endif
#endif

#include "onefold_exact.hpp"

namespace onefold {

// Windows: a number a in [2^k, 2^(k+1)) units, k the mantissa bits of its type, so t = a + x rounds
// x to a unit, and x - (t - a) is the exact rest, which the next window gets: 2^step smaller units.
// The first window's unit is 2^(anchor - top). All |x| < 2^anchor fit whose lowest bit is at least
// the last window's unit. No window adds a subnormal of f32, so flushing them changes nothing.
// Windows of type float sum the bits of t as integers, and keep no sum. Windows in a Uint128 are
// its words of 32 bits; to that x is added, shifted by 1 to 63.
//   most     additions until windows are emptied: most 2^top < half of the window's room
//   spare    lowest bits that stay 0
//   anchors  first + a multiple of grid, within [least, greatest]
template <class T>
struct Windows {
  static_assert(sizeof(T) == 0, "sums in kernels are of float, double or onefold::bfloat16");
};
template <>
struct Windows<float> {
#if ONEFOLD_INTEGER_WINDOWS
  using Number = float;
  static constexpr int count = 3, top = 22, step = 23, spare = 0, most = 256;
  static constexpr int first = 24, grid = 8, least = -56, greatest = 120;
#else
  using Number = double;
  static constexpr int count = 2, top = 41, step = 40, spare = 0, most = 1008;
  static constexpr int first = 32, grid = 32, least = -68, greatest = 128;
#endif
};
template <>
struct Windows<double> {
#if ONEFOLD_INTEGER_WINDOWS
  using Number = Uint128;
  static constexpr int count = 4, top = 20, step = 32, spare = 1, most = 1008;
#else
  using Number = double;
  static constexpr int count = 3, top = 41, step = 40, spare = 0, most = 1008;
#endif
  static constexpr int first = 32, grid = 32, least = -953, greatest = 1008;
};
template <>
struct Windows<bfloat16> {
  using Number = float;
  static constexpr int count = 2, top = 22, step = 23, spare = 0, most = 256;
  static constexpr int first = 16, grid = 8, least = -80, greatest = 120;
};

}  // namespace onefold
