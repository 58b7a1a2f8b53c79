// Weights as integers, and what the launches of weighted quantiles know of a slice.
#pragma once

#include "onefold/cuda/kernel/weighted/input.hpp"

namespace onefold::kernel {

inline constexpr unsigned weight_threads = 256, weight_bins = 2048;
// Words of the longest sum: 2^40 f64 of any exponents.
inline constexpr unsigned most_weight_words = 68;
// Returns the bits of a digit.
constexpr unsigned weight_digit(unsigned words) {
  unsigned d = 8;
  while (words << d > weight_bins) --d;
  return d;
}
static_assert(weight_digit(most_weight_words) == 4 && 1u << weight_digit(1) <= weight_threads);

// What is known of a slice; then the words of its total, and of the share that its answer has left
// within the keys that begin alike.
enum WeightWord : unsigned {
  unit_word,             // the lowest bit of a weight
  word_count,            // of a sum; 0: nothing has any weight
  nans_word_of_weights,  // is any NaN?
  flawed_word,           // is any weight wrong?
  spoilt_word,           // are answers NaN, and written?
  answered_word,
  known_bits,  // of the key, which are its prefix
  prefix_low,
  prefix_high,
  digit_word,
  met_word,   // is the weight of a key and all below it exactly the level's share?
  next_word,  // is a key wanted that is above such a one?
  first_low,  // the key of side 0
  first_high,
  total_words,
  left_words = total_words + most_weight_words,
  weight_words = left_words + most_weight_words
};

// A weight: mantissa * 2^shift, in units of the least one of its type.
struct WeightBits {
  uint64_t mantissa = 0;
  unsigned shift = 0;
  bool bad = false;
};
ONEFOLD_KERNEL WeightBits weight_of_bytes(DType type, Size bytes) {
  if (!is_floating(type)) {
    if (type == DType::boolean) return {bytes != 0 ? 1u : 0u, 0, false};
    const Size n = times_of(type, bytes);
    return {n, 0, kind_of(type) == Kind::signed_integer && n >> 63 != 0};
  }
  const FloatFormat format = float_format(type);
  const Size size = bytes & ~format.sign(), hidden = Size{1} << format.mantissa_bits;
  const auto exponent = static_cast<unsigned>(size >> format.mantissa_bits);
  const bool bad = size >= format.infinity() || (size != bytes && size != 0);
  if (exponent == 0) return {size, 0, bad};
  return {(size & (hidden - 1)) | hidden, exponent - 1, bad};
}

// The lowest bit of weights, and the one above their highest; none: 0 of the latter.
struct WeightSpan {
  uint32_t low = ~0u, high = 0;
  ONEFOLD_KERNEL void take(const WeightBits& w) {
    if (w.mantissa == 0) return;
    const auto lowest = static_cast<unsigned>(bit_length(w.mantissa & (0 - w.mantissa)) - 1);
    const uint32_t from = w.shift + lowest,
                   to = w.shift + static_cast<unsigned>(bit_length(w.mantissa));
    low = from < low ? from : low;
    high = to > high ? to : high;
  }
  // As one word, of which each half only grows.
  ONEFOLD_KERNEL uint64_t packed() const { return uint64_t{~low} << 32 | high; }
  ONEFOLD_KERNEL static WeightSpan of(uint64_t packed) {
    return {~static_cast<uint32_t>(packed >> 32), static_cast<uint32_t>(packed)};
  }
  ONEFOLD_KERNEL static WeightSpan of_both(const WeightSpan& a, const WeightSpan& b) {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

}  // namespace onefold::kernel
