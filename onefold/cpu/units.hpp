// Converts elements to multiples of one common unit, each as two integers that are summed
// separately.
#pragma once

#include "onefold/cpu/feed.hpp"

namespace onefold::cpu_backend {

// x = high 2^(anchor - high_bits) + low 2^(anchor - high_bits - low_bits), |x| < 2^anchor:
// |high| <= 2^high_bits and |low| < 2^low_bits, each of at most 50 bits.
struct Unit {
  int anchor = 0, high_bits = 0, low_bits = 0;
  int lowest() const { return anchor - high_bits - low_bits; }
};
struct alignas(16) UnitPair {
  int64_t high, low;
};
// Bounds of the anchor: the lowest unit is a normal number, and sums of 2^39 elements do not
// overflow.
inline constexpr int lowest_unit_anchor = -900, highest_unit_anchor = 984;

struct UnitsResult {
  Size left;           // number of elements that do not fit the unit; in `to` they are zero
  bool negative_zero;  // some element is -0
};
// Converts n <= 2^16 elements.
//   left  gets the indices of those that do not fit the unit
using MakeUnits = UnitsResult (*)(const std::byte* x, Size n, const Unit&, UnitPair* to,
                                  uint16_t* left);
// Returns the function for f32 or f64; null if a target has none.
MakeUnits make_units(Target target, DType t);

// Divides the sums of n groups by their counts, rounds the quotients to f32 or f64 and writes them
// one after another. counts: one per group; null means 1. decided[g] becomes 0 if a word is too
// large for an f64, the count is 0 or the rounding is not proven; quotient g then means nothing.
using RoundUnits = void (*)(const UnitPair* from, const uint32_t* counts, Size n, const Unit&,
                            DType to, std::byte* out, uint8_t* decided);
RoundUnits round_units(Target target);

// Returns the least e for which |x| < 2^e holds for about 1,000 of n contiguous, finite elements.
int sampled_exponent(const std::byte* x, Size n, DType t);

}  // namespace onefold::cpu_backend
