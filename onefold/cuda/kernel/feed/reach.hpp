// The exponent range of a chunk of f32 or f64. The words that hold signs and exponents are compared
// as f32: that order is the order of the elements, and of their magnitudes.
//
//   NaN      some words look like a NaN: those of NaN, and for f64 also those of infinities and of
//            numbers from 2^1017 on
//   cost     one instruction an element for each of low, high, most and least that is read
#pragma once

#include "onefold/cuda/kernel/number/packed.hpp"
#include "onefold/cuda/kernel/number/scalar.hpp"
#include "onefold/cuda/kernel/schedule/tiles.hpp"

namespace onefold::kernel {

// with_signs: `most` is derived from the least and the greatest word; else it is found directly.
template <class M, class T, int U, bool with_signs>
struct Reach {
  float low, high;  // least and greatest word, or NaN; only with signs
  float most;       // the greatest magnitude, or NaN
  float least;      // least magnitude, except of words that look like NaN; 0 for zeros and tiny f64

  ONEFOLD_KERNEL static Reach of(M m, const Chunk<T, U>& c) {
    const auto word = [&](int k) { return bit_cast<float>(c.high(k)); };
    Reach r{.low = word(0), .high = word(0), .most = absolute(word(0)), .least = absolute(word(0))};
    ONEFOLD_UNROLL
    for (int k = 1; k < Chunk<T, U>::elements; ++k) {
      if constexpr (with_signs) {
        r.low = extreme_or_nan<false>(r.low, word(k));
        r.high = extreme_or_nan<true>(r.high, word(k));
      } else {
        r.most = extreme_or_nan<true>(r.most, absolute(word(k)));
      }
      r.least = m.min(r.least, absolute(word(k)));
    }
    if constexpr (with_signs) r.most = extreme_or_nan<true>(absolute(r.low), absolute(r.high));
    return r;
  }
  ONEFOLD_KERNEL uint32_t top() const { return bit_cast<uint32_t>(most); }
};

// Returns the least key of magnitudes (tiles.hpp); zeros have none.
template <class T, int U>
ONEFOLD_KERNEL uint32_t least_magnitude_key(const Chunk<T, U>& c) {
  uint32_t least = ~0u;
  ONEFOLD_UNROLL
  for (int k = 0; k < Chunk<T, U>::elements; ++k) {
    least = c.magnitude_key(k) < least ? c.magnitude_key(k) : least;
  }
  return least;
}

}  // namespace onefold::kernel
