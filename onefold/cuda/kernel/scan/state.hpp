// The state of all elements before a tile, in shared memory: the limbs of a sum, then the tally.
#pragma once

#include "onefold/cuda/kernel/scan/totals.hpp"

namespace onefold::kernel {

// What a tile needs to know of it.
enum ScanFact : int {
  scan_top,      // the sum is below 2^(unit + this)
  scan_bottom,   // and a multiple of 2^(unit + this)
  scan_special,  // 1: there is an infinity; 2: there is a NaN that counts
  scan_some,     // some element is not -0
  scan_facts
};

template <class T, class M>
struct ScanState {
  using Sum = accumulator::sum<T>;
  using Counts = accumulator::tally<T>;
  static constexpr int limbs = Sum::limbs, words = limbs + Counts::words;

  Shared<M, int64_t> word;
  Shared<M, int> fact;

  ONEFOLD_KERNEL explicit ScanState(M m)
      : word(shared<int64_t, words, struct state_words_>(m)),
        fact(shared<int, scan_facts, struct state_facts_>(m)) {}

  ONEFOLD_KERNEL int64_t count(int k) const {
    const int64_t v = word[limbs + k];
    return v;
  }
  ONEFOLD_KERNEL uint32_t digit(int k) const {
    const int64_t v = word[k < limbs ? k : limbs - 1];
    if (k < limbs) return static_cast<uint32_t>(v);
    return static_cast<uint32_t>(k == limbs ? v >> 32 : v >> 63);
  }
  // Returns the 64 bits from 2^(unit + position) on.
  ONEFOLD_KERNEL uint64_t bits_at(int position) const {
    const int k = position >> 5, r = position & 31;
    const uint64_t low = static_cast<uint64_t>(digit(k + 1)) << 32 | digit(k);
    return r == 0 ? low : low >> r | static_cast<uint64_t>(digit(k + 2)) << (64 - r);
  }
  // Returns the fields of the sum for an anchor, rounded down.
  template <int fields, class Anchor>
  ONEFOLD_KERNEL void fields_to(const Anchor& anchor, int64_t (&f)[fields]) const {
    constexpr int gap = ScanOf<T>::gap;
    const int position = anchor.unit() - Sum::unit;
    ONEFOLD_UNROLL
    for (int k = 0; k < fields; ++k) {
      const uint64_t bits = bits_at(position + gap * (fields - 1 - k));
      f[k] = static_cast<int64_t>(k == 0 ? bits : bits & ((uint64_t{1} << gap) - 1));
    }
  }

  // Adds v * 2^(unit + position); carries are left. Called by one thread.
  ONEFOLD_KERNEL void add(int position, int64_t v) const {
    add_at<limbs>(position, v, [&](int k, int64_t part) { word[k] += part; });
  }
  template <int fields, class Anchor>
  ONEFOLD_KERNEL void add(const Anchor& anchor, const int64_t (&f)[fields]) const {
    const int position = anchor.unit() - Sum::unit;
    ONEFOLD_UNROLL
    for (int k = 0; k < fields; ++k) add(position + ScanOf<T>::gap * (fields - 1 - k), f[k]);
  }
  // Sets the facts of the state without elements. Called by one thread.
  //   some  the first element is neither -0 nor NaN: then no sum behind it is -0
  ONEFOLD_KERNEL void begin(bool some) const {
    if (some) word[limbs + Counts::not_negative_zero] = int64_t{1};
    fact[scan_top] = 1;
    fact[scan_bottom] = 32 * limbs;
    fact[scan_special] = 0;
    fact[scan_some] = some || !Floating<T> ? 1 : 0;
  }
  // Carries the limbs and finds the facts. Called by one thread. Not inlined, and it finds the
  // memory itself: NVRTC 13.0 reads freed memory if a function that it does not inline takes an
  // object of pointers to shared memory.
  ONEFOLD_KERNEL_COLD static void settle(M m, NanPolicy nan) { ScanState(m).settle_here(nan); }

 private:
  ONEFOLD_KERNEL void settle_here(NanPolicy nan) const {
    int64_t c = 0;
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < limbs - 1; ++k) {
      const int64_t v = word[k] + c;
      word[k] = v & 0xffffffff;
      c = v >> 32;
    }
    const int64_t top = word[limbs - 1] + c;
    word[limbs - 1] = top;
    const uint32_t fill = top < 0 ? 0xffffffffu : 0;
    int high = limbs, low = 0;
    while (high > 0 && digit(high) == fill) --high;
    while (low < limbs && digit(low) == 0) ++low;
    fact[scan_top] = 32 * high + bit_length(uint64_t{digit(high) ^ fill}) + 1;
    fact[scan_bottom] = 32 * low + (low == limbs ? 0 : static_cast<int>(lowest_bit(digit(low))));
    if constexpr (Floating<T>) {
      const bool bad = nan != NanPolicy::omit && count(Counts::nan) != 0,
                 infinite =
                     (count(Counts::positive_infinity) | count(Counts::negative_infinity)) != 0;
      fact[scan_special] = bad ? 2 : infinite ? 1 : 0;
      fact[scan_some] = count(Counts::not_negative_zero) != 0 ? 1 : 0;
    } else {
      fact[scan_special] = 0;
      fact[scan_some] = 1;
    }
  }
};

}  // namespace onefold::kernel
