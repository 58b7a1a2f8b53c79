// Exact fixed-point numbers as int64 words: limb k has weight 2^(unit + 32 k).
//
//   add      digits are below 2^32, so up to 2^31 deposits or merges fit before a carry pass
//   merge    adds int64 word by word, in any order: any split of the data gives the same sum
//   carry    afterwards every limb but the last is in [0, 2^32); equal values are equal words
//   source   Neal, arXiv 1505.05571 (small superaccumulator), with 32-bit digits in 64-bit limbs
#pragma once

#include "onefold/core/base.hpp"

namespace onefold {

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

}  // namespace onefold
