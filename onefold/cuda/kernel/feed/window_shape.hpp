// How many windows (windows.hpp) a set of accumulators needs, where they lie, and which sums they
// hold.
#pragma once

#include "onefold/core/accumulator.hpp"
#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// The windows that a set of accumulators needs for an element type.
template <class T, uint32_t set, bool wide>
struct WindowShape {
  static constexpr Accumulators in{set};
  static constexpr bool sum = in.has(Accumulator::sum), magnitudes = in.has(Accumulator::sumabs),
                        squares = in.has(Accumulator::sumsq);
  static constexpr bool f64 = sizeof(T) == 8;
  // of_x: number of windows of x, and also of |x|; of_squares: of squares.
  static constexpr int of_x = !sum && !magnitudes ? 0 : f64 || !squares || wide ? 2 : 1;
  static constexpr int of_squares = !squares ? 0 : (f64 ? 3 : 2) + wide;
  static constexpr int first_square = of_x * (sum + magnitudes);
  static constexpr int count = first_square + of_squares;
  static constexpr int binades = f64         ? (squares && !wide ? 20 : 44)
                                 : !squares  ? 72
                                 : wide      ? 48
                                 : of_x == 0 ? 25
                                             : 24;
  // Anchors are multiples of it, so that most warps of a block have the same one. It is large if
  // there are binades to spare: otherwise a block of lognormal data would have many anchors, and
  // end in ten times the atomics.
  static constexpr int step = squares && !wide ? 2 : 8;
  // The biased exponents that E may be; elements from 2^cap on are lifted.
  static constexpr int lowest = f64 ? (squares ? 590 : 45) : squares ? 1 : 45;
  static constexpr int highest = f64 ? (squares ? 1530 : 2040) : 255;
  static constexpr int fraction = f64 ? 20 : 23;  // bits of the high word below the exponent
  static constexpr uint32_t cap = f64 && squares ? uint32_t{1529} << 20 : 0x7f800000u;
  static constexpr int bias = f64 ? 1023 : 127;

  // Returns log2 of the unit of window i; the next function, the accumulator that it belongs to.
  ONEFOLD_KERNEL static int unit(int i, int e) {
    if (i >= first_square) return 2 * (e - bias) - 48 * (i - first_square + 1);
    const int j = of_x == 1 ? 0 : i % 2;
    return of_x == 1 ? e - bias - 47 : e - bias - 48 * (j + 1);
  }
  ONEFOLD_KERNEL static Accumulator accumulator(int i) {
    if (i >= first_square) return Accumulator::sumsq;
    return sum && i < of_x ? Accumulator::sum : Accumulator::sumabs;
  }
  ONEFOLD_KERNEL static int position(int i, int e) {
    return unit(i, e) - (i >= first_square ? 2 : 1) * unit_of<T>;
  }
};

}  // namespace onefold::kernel
