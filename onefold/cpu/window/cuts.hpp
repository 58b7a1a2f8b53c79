// Elements cut into words on a fixed grid, so that sums of words are exact in any order and what
// was added can be taken away again.
//
//   grid   numbers below 2^top; word k is a multiple of q_k. q_0 = 2^(top - h), each next one is
//          2^(h + 1) finer, so a word is at most 2^h of its q, and 2^(53 - h) words add up exactly
//   cut    adding and subtracting 1.5 * 2^52 * q rounds to a multiple of q
//   left   what lies below the last q: at most half of it, for products three quarters; of cubes
//          and fourth powers, 2^-103 of their magnitude besides
#pragma once

#include "onefold/core/base.hpp"
#include "onefold/cpu/processor.hpp"
#include "onefold/engine/vectors.hpp"

namespace onefold::cpu_backend {

inline constexpr int most_cuts = 3;

// What elements are like. Of the finite ones: the least and the greatest.
struct Spread {
  double low, high;
  bool nonfinite = false, negative_zero = false;

  static Spread none();
  bool empty() const { return low > high; }
  void add(const Spread& s) {
    low = s.low < low ? s.low : low;
    high = s.high > high ? s.high : high;
    nonfinite |= s.nonfinite;
    negative_zero |= s.negative_zero;
  }
};

// Functions for f64 in memory that is aligned to 64 bytes and has room up to a multiple of 8.
struct CutWays {
  bool (*takes)(DType t);
  // Converts n elements to f64, and appends zeros up to a multiple of 8. Integers beyond 2^51
  // become NaN.
  Spread (*read)(DType t, const std::byte* x, Size n, double* to);
  // Cuts x - pivot, or the products of (x - pivot) (y - pivot_y), of which NaN and infinities count
  // as 0. Returns whether something is left.
  //   magic  1.5 * 2^52 * q of each word
  //   words  2 or 3
  bool (*values)(const double* x, double pivot, Size n, const double* magic, int words,
                 double* const* to);
  bool (*products)(const double* x, double pivot, const double* y, double pivot_y, Size n,
                   const double* magic, int words, double* const* to);
  // The same for (x - pivot) to the power 3 or 4.
  bool (*powers)(const double* x, double pivot, int power, Size n, const double* magic, int words,
                 double* const* to);
};
// Null if the target has no vectors.
const CutWays* cut_ways(Target target);

}  // namespace onefold::cpu_backend
