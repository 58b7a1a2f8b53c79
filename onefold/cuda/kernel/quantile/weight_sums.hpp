// Exact sums of weights by digits of keys, in shared memory: word w of bin b of n is at w n + b.
#pragma once

#include "onefold/cuda/kernel/quantile/weight_state.hpp"

namespace onefold::kernel {

template <class M>
struct WeightSums : WeightState<M> {
  using State = WeightState<M>;
  using State::m;
  using State::set;
  using State::state;
  using State::t;
  using State::word;
  Shared<M, uint32_t> bins = shared<uint32_t, int{weight_bins}, struct weight_bins_>(m);
  Shared<M, uint32_t> other = shared<uint32_t, int{weight_bins}, struct other_bins_>(m);
  Shared<M, uint32_t> spans = shared<uint32_t, int{weight_threads / 16}, struct weight_spans_>(m);

  ONEFOLD_KERNEL void clear_bins(uint32_t n) const {
    const uint32_t all = n * word(word_count);
    ONEFOLD_NO_UNROLL
    for (uint32_t k = t(); k < all; k += weight_threads) bins[k] = 0u;
    m.sync();
  }

  // Returns the span of all threads' weights to thread 0, and notes what any of them has found.
  ONEFOLD_KERNEL WeightSpan meet(const WeightSpan& mine, uint32_t nans, uint32_t flaws) const {
    constexpr unsigned warps = weight_threads / 32;
    const uint32_t low = m.redux_min(mine.low), high = m.redux_max(mine.high);
    nans = m.redux_max(nans);
    flaws = m.redux_max(flaws);
    if (t() % 32 == 0) {
      spans[t() / 32] = low;
      spans[warps + t() / 32] = high;
      if (m.branch(nans != 0)) m.add(state, unsigned{nans_word_of_weights}, 1u);
      if (m.branch(flaws != 0)) m.add(state, unsigned{flawed_word}, 1u);
    }
    m.sync();
    WeightSpan all;
    ONEFOLD_NO_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      const uint32_t of_low = spans[w], of_high = spans[warps + w];
      all = WeightSpan::of_both(all, {of_low, of_high});
    }
    m.sync();
    return all;
  }
  // Tells the other blocks of a slice; called by thread 0.
  ONEFOLD_KERNEL void tell(const WeightSpan& mine, Out<M, uint64_t> span,
                           Out<M, uint32_t> words) const {
    uint64_t was = 0;
    ONEFOLD_NO_UNROLL
    for (;;) {
      const uint64_t both = WeightSpan::of_both(WeightSpan::of(was), mine).packed();
      const uint64_t seen = m.swap_if(span, 0, was, both);
      if (seen == was) break;
      was = seen;
    }
    if (word(nans_word_of_weights) != 0) m.add(words, unsigned{nans_word_of_weights}, 1u);
    if (word(flawed_word) != 0) m.add(words, unsigned{flawed_word}, 1u);
  }
  // Adds to word w of a bin, and carries.
  template <class P>
  ONEFOLD_KERNEL void add_word(P to, uint32_t n, uint32_t bin, uint32_t w, uint32_t v) const {
    ONEFOLD_NO_UNROLL
    while (m.branch(v != 0)) {
      const uint32_t was = m.add(to, w * n + bin, v);
      v = static_cast<uint32_t>(was + v) < was ? 1 : 0;
      ++w;
    }
  }
  ONEFOLD_KERNEL void add(const WeightBits& weight, uint32_t bin, uint32_t n) const {
    const unsigned unit = word(unit_word);
    uint64_t low = weight.mantissa;
    unsigned shift = 0;
    if (weight.shift < unit) {  // the lowest bits are 0
      low >>= unit - weight.shift;
    } else {
      shift = weight.shift - unit;
    }
    const unsigned w = shift / 32, bits = shift % 32;
    const uint32_t high = bits == 0 ? 0 : static_cast<uint32_t>(low >> (64 - bits));
    low <<= bits;
    add_word(bins, n, bin, w, static_cast<uint32_t>(low));
    add_word(bins, n, bin, w + 1, static_cast<uint32_t>(low >> 32));
    add_word(bins, n, bin, w + 2, high);
  }
  // Adds the sums of n bins to those of all blocks of a slice.
  ONEFOLD_KERNEL void add_to(Out<M, uint32_t> all, uint32_t n) const {
    const uint32_t words = n * word(word_count);
    ONEFOLD_NO_UNROLL
    for (uint32_t k = t(); k < words; k += weight_threads) {
      const uint32_t v = bins[k];
      add_word(all, n, k % n, k / n, v);
    }
  }
  // Takes the sums of all blocks, and clears them.
  ONEFOLD_KERNEL void take_from(Out<M, uint32_t> all, uint32_t n) const {
    const uint32_t words = n * word(word_count);
    ONEFOLD_NO_UNROLL
    for (uint32_t k = t(); k < words; k += weight_threads) {
      bins[k] = load_relaxed<uint32_t>(m, all, static_cast<int>(k));
      all[k] = 0u;
    }
    m.sync();
  }

  // Returns the sums of each of n bins and all below it.
  ONEFOLD_KERNEL Shared<M, uint32_t> scan(uint32_t n) const {
    const uint32_t words = word(word_count);
    Shared<M, uint32_t> from = bins, to = other;
    ONEFOLD_NO_UNROLL
    for (uint32_t d = 1; d < n; d *= 2) {
      if (m.branch(t() < n)) {
        uint64_t sum = 0;
        ONEFOLD_NO_UNROLL
        for (uint32_t w = 0; w < words; ++w) {
          const uint32_t own = from[w * n + t()];
          sum += own;
          if (m.branch(t() >= d)) {
            const uint32_t below = from[w * n + t() - d];
            sum += below;
          }
          to[w * n + t()] = static_cast<uint32_t>(sum);
          sum >>= 32;
        }
      }
      m.sync();
      const Shared<M, uint32_t> swapped = from;
      from = to;
      to = swapped;
    }
    return from;
  }
  ONEFOLD_KERNEL void keep_total(Shared<M, uint32_t> upto, uint32_t n) const {
    if (t() < word(word_count)) {
      const uint32_t last = upto[t() * n + n - 1];
      state[total_words + t()] = last;
    }
    m.sync();
  }

  // Finds the digit of the first bin that has, with all below it, what is left.
  ONEFOLD_KERNEL void find_digit(Shared<M, uint32_t> upto, unsigned d) const {
    const uint32_t n = 1u << d, words = word(word_count);
    if (t() == 0) set(digit_word, 0);
    m.sync();
    bool less = false;
    if (m.branch(t() < n)) {
      bool equal = true;
      ONEFOLD_NO_UNROLL
      for (uint32_t w = words; w-- > 0 && equal;) {
        const uint32_t a = upto[w * n + t()], b = word(left_words + w);
        less = a < b;
        equal = a == b;
      }
    }
    const uint32_t some = static_cast<uint32_t>(m.count_bits(m.ballot(less)));
    if (t() % 32 == 0) m.add(state, unsigned{digit_word}, some);
    m.sync();
    if (t() == 0) {
      const uint32_t found = word(digit_word);
      uint32_t met = 1, borrow = 0;
      ONEFOLD_NO_UNROLL
      for (uint32_t w = 0; w < words; ++w) {
        const uint32_t left = word(left_words + w), upto_it = upto[w * n + found];
        met = upto_it == left ? met : 0;
        uint32_t below = 0;
        if (found != 0) below = upto[w * n + found - 1];
        const uint64_t rest = uint64_t{left} - below - borrow;
        set(left_words + w, static_cast<uint32_t>(rest));
        borrow = rest >> 63 != 0 ? 1 : 0;
      }
      const uint64_t prefix = this->long_word(prefix_low) << d | found;
      set(prefix_low, static_cast<uint32_t>(prefix));
      set(prefix_high, static_cast<uint32_t>(prefix >> 32));
      set(known_bits, word(known_bits) + d);
      set(met_word, met);
    }
    m.sync();
  }
};

}  // namespace onefold::kernel
