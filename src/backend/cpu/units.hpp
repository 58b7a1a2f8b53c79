// Converts elements to integers with one common unit, each in two words that are added separately.
#pragma once

#include "backend/cpu/feed.hpp"

namespace onefold::cpu_backend {

// x = high 2^(anchor - high_bits) + low 2^(anchor - high_bits - low_bits), |x| < 2^anchor:
// |high| <= 2^high_bits and |low| < 2^low_bits, each of at most 50 bits.
struct Unit {
  int anchor = 0, high_bits = 0, low_bits = 0;
  int lowest() const { return anchor - high_bits - low_bits; }
};
struct alignas(16) InUnits {
  int64_t high, low;
};
// Lowest units are normal numbers, and anchors leave room for sums of 2^39 elements.
inline constexpr int lowest_unit_anchor = -900, highest_unit_anchor = 984;

struct MadeUnits {
  Size left;           // number of elements without such integers; 0 stands for these
  bool negative_zero;  // some element is -0
};
//   left  which ones, n < 2^16 at most
using MakeUnits = MadeUnits (*)(const std::byte* x, Size n, const Unit&, InUnits* to,
                                uint16_t* left);
// f32 and f64; null where a target has none.
MakeUnits make_units(Target target, DType t);

// (high, low) / n of n groups, rounded to f32 or f64 and written side by side; counts: by group, or
// null for 1. decided[g] is 0 where nothing was written: of words that no f64 holds, of 0 counts.
using RoundUnits = void (*)(const InUnits* from, const uint32_t* counts, Size n, const Unit&,
                            DType to, std::byte* out, uint8_t* decided);
RoundUnits round_units(Target target);

// The least e with |x| < 2^e of about 1,000 of n elements that lie side by side, and are finite.
int sampled_exponent(const std::byte* x, Size n, DType t);

}  // namespace onefold::cpu_backend
