// What a block knows of a slice with weights, in shared memory; and the share of the total weight
// that a level asks for, by exact integers.
#pragma once

#include "onefold/core/quantile/place.hpp"
#include "onefold/cuda/kernel/quantile/weight_bits.hpp"
#include "onefold/cuda/kernel/workspace.hpp"

namespace onefold::kernel {

// Finds the least integer that is a level's share of a total of so many words, or more: total(w)
// returns one, raise(w, v) adds to word w of the share, and carries. Returns whether it is exact.
template <class Total, class Raise>
ONEFOLD_KERNEL bool share_of_words(const QuantileLevel& level, uint32_t words, Total total,
                                   Raise raise) {
  const bool small = level.of >> 31 == 0;
  const auto part = static_cast<uint64_t>(level.part), of = static_cast<uint64_t>(level.of);
  Uint128 rest = 0;  // of the words above; 3 * level.of < 2^128
  ONEFOLD_NO_UNROLL
  for (uint32_t w = words; w-- > 0;) {
    const uint32_t bits = total(w);
    uint64_t quotient = 0;  // of this word: up to 2^33
    if (small) {
      const uint64_t all = (static_cast<uint64_t>(rest) << 32) + bits * part;
      quotient = all / of;
      rest = all % of;
    } else {
      ONEFOLD_NO_UNROLL
      for (int bit = 31; bit >= 0; --bit) {
        quotient *= 2;
        rest = rest + rest;
        if ((bits >> bit & 1) != 0) rest = rest + level.part;
        while (rest >= level.of) {
          rest = rest - level.of;
          ++quotient;
        }
      }
    }
    raise(w, static_cast<uint32_t>(quotient));
    raise(w + 1, static_cast<uint32_t>(quotient >> 32));
  }
  if (rest > 0) raise(0, 1);
  return rest == 0;
}

template <class M>
struct WeightState {
  M m;
  Shared<M, uint32_t> state = shared<uint32_t, int{weight_words}, struct weight_state_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL uint32_t word(unsigned w) const {
    const uint32_t v = state[w];
    return v;
  }
  ONEFOLD_KERNEL uint64_t long_word(unsigned w) const {
    return word(w) | uint64_t{word(w + 1)} << 32;
  }
  ONEFOLD_KERNEL void set(unsigned w, uint32_t v) const { state[w] = v; }
  // The total, where it is a number of elements.
  ONEFOLD_KERNEL uint64_t total() const {
    return word(total_words) | (word(word_count) > 1 ? uint64_t{word(total_words + 1)} << 32 : 0);
  }
  // Whether there are 2^59 elements or more, of which no place is computed.
  ONEFOLD_KERNEL bool is_too_many() const {
    bool many = total() >> 59 != 0;
    ONEFOLD_NO_UNROLL
    for (uint32_t w = 2; w < word(word_count); ++w) many = many || word(total_words + w) != 0;
    return many;
  }
  // Returns the bits of the next digit of keys of so many bits.
  ONEFOLD_KERNEL unsigned digit(unsigned of) const {
    const unsigned d = weight_digit(word(word_count)), left = of - word(known_bits);
    return d < left ? d : left;
  }

  ONEFOLD_KERNEL void clear() const {
    ONEFOLD_NO_UNROLL
    for (unsigned k = t(); k < weight_words; k += weight_threads) state[k] = 0u;
    m.sync();
  }
  ONEFOLD_KERNEL void load(Out<M, uint32_t> from) const {
    ONEFOLD_NO_UNROLL
    for (unsigned k = t(); k < weight_words; k += weight_threads) {
      state[k] = load_relaxed<uint32_t>(m, from, static_cast<int>(k));
    }
    m.sync();
  }
  ONEFOLD_KERNEL void store(Out<M, uint32_t> to) const {
    ONEFOLD_NO_UNROLL
    for (unsigned k = t(); k < weight_words; k += weight_threads) to[k] = word(k);
  }
  ONEFOLD_KERNEL void begin_key() const {
    m.sync();
    if (t() == 0) {
      set(known_bits, 0);
      set(prefix_low, 0);
      set(prefix_high, 0);
    }
    m.sync();
  }
  // Decides the unit and the length of sums of up to n weights; called by thread 0.
  ONEFOLD_KERNEL void settle(const WeightSpan& span, Size n, bool repeated) const {
    const uint32_t unit = repeated || span.high == 0 ? 0 : span.low;
    const uint32_t bits = span.high - unit + static_cast<unsigned>(bit_length(n));
    set(unit_word, unit);
    set(word_count, span.high == 0 ? 0 : (bits + 31) / 32);
  }

  // Finds the sum that the key of a level, or of its next one, has with all below it; called by
  // thread 0.
  ONEFOLD_KERNEL void want(const QuantileLevel& level, unsigned side, bool repeated) const {
    const uint32_t words = word(word_count);
    bool next = false;
    if (repeated) {
      if (is_too_many()) set(flawed_word, 1);
      const QuantilePlace place =
          word(flawed_word) != 0 ? QuantilePlace{} : place_of(level, total());
      put_left(words, place.rank);
      raise_left(0, 1);
      next = place.rest > 0;
    } else {
      put_left(words, 0);
      const bool whole = share_of_words(
          level, words, [&](uint32_t w) { return word(total_words + w); },
          [&](uint32_t w, uint32_t v) { raise_left(w, v); });
      bool none = true, all = true;
      ONEFOLD_NO_UNROLL
      for (uint32_t w = 0; w < words; ++w) {
        none = none && word(left_words + w) == 0;
        all = all && word(left_words + w) == word(total_words + w);
      }
      if (none) raise_left(0, 1);
      next = whole && !none && !all && level.method == QuantileMethod::averaged_inverted_cdf;
    }
    if (side != 0) raise_left(0, 1);
    set(next_word, next ? 1 : 0);
  }

 private:
  ONEFOLD_KERNEL void put_left(uint32_t words, uint64_t v) const {
    ONEFOLD_NO_UNROLL
    for (uint32_t w = 0; w < words; ++w) {
      set(left_words + w, w < 2 ? static_cast<uint32_t>(v >> 32 * w) : 0u);
    }
  }
  ONEFOLD_KERNEL void raise_left(uint32_t w, uint32_t v) const {
    ONEFOLD_NO_UNROLL
    for (; v != 0; ++w) {
      const uint32_t was = word(left_words + w);
      set(left_words + w, was + v);
      v = static_cast<uint32_t>(was + v) < was ? 1 : 0;
    }
  }
};

}  // namespace onefold::kernel
