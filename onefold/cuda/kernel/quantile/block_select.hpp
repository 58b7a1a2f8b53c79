// The keys of given ranks among keys that a block reads again and again: digits of 8 bits are
// counted until few keys are left, which a warp compares with each other.
#pragma once

#include "onefold/cuda/kernel/quantile/find_digit.hpp"

namespace onefold::kernel {

// Keys in shared memory.
template <class K, class M>
struct HeldKeys {
  using Key = K;
  Shared<M, K> keys;
  uint32_t n;
  // Calls f(key) for each key that the thread has, of `threads`.
  template <class F>
  ONEFOLD_KERNEL void each(unsigned t, unsigned threads, F f) const {
    ONEFOLD_NO_UNROLL
    for (uint32_t i = t; i < n; i += threads) {
      const K k = keys[i];
      f(k);
    }
  }
};

// Keys of a rank and of the next one, if it is asked for; else the latter is the former.
template <class K>
struct NeighbourKeys {
  K low, high;
};

//   Keys   has keys of `bits` bits, as HeldKeys has them
//   most   threads of the largest block
template <class Keys, unsigned bits, unsigned most, class M>
struct BlockSelect {
  using K = typename Keys::Key;
  static constexpr unsigned digit = 8, bins = 1u << digit, few = 32;
  M m;
  Keys keys;
  uint32_t n = 0;  // number of keys
  Shared<M, uint32_t> counts = shared<uint32_t, int{bins}, struct select_counts_>(m);
  Shared<M, K> list = shared<K, int{few}, struct select_list_>(m);
  Shared<M, K> best = shared<K, int{most / 32 + 2}, struct select_best_>(m);
  Shared<M, uint32_t> word = shared<uint32_t, 4, struct select_words_>(m);

  using Neighbours = NeighbourKeys<K>;
  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL unsigned threads() const { return static_cast<unsigned>(m.threads()); }

  // Whether a key's leading bits are those of the prefix.
  ONEFOLD_KERNEL static bool begins(K key, K prefix, unsigned known) {
    return known == 0 || key >> (bits - known) == prefix;
  }

  // Returns the least key of which f(key) is true; all threads call it and get the answer.
  template <class F>
  ONEFOLD_KERNEL K least(F f) const {
    K mine = static_cast<K>(~K{0});
    keys.each(t(), threads(), [&](K k) {
      if (f(k) && k < mine) mine = k;
    });
    ONEFOLD_NO_UNROLL
    for (unsigned d = 16; d != 0; d /= 2) {
      const K other = m.shuffle_down(mine, d);
      mine = other < mine ? other : mine;
    }
    m.sync();
    if (t() % 32 == 0) best[t() / 32] = mine;
    m.sync();
    K all = static_cast<K>(~K{0});
    ONEFOLD_NO_UNROLL
    for (unsigned w = 0; w < threads() / 32; ++w) {
      const K other = best[w];
      all = other < all ? other : all;
    }
    m.sync();
    return all;
  }

  // Counts the next digit of the keys that begin with a prefix, and finds the one of a rank.
  ONEFOLD_KERNEL FoundDigit count_digit(K prefix, unsigned known, uint32_t rank) const {
    ONEFOLD_NO_UNROLL
    for (unsigned k = t(); k < bins; k += threads()) counts[k] = 0u;
    m.sync();
    keys.each(t(), threads(), [&](K k) {
      if (m.branch(begins(k, prefix, known))) {
        m.add(counts, static_cast<uint32_t>(k >> (bits - known - digit)) & (bins - 1), 1u);
      }
    });
    m.sync();
    if (t() < 32) {
      const FoundDigit f = find_digit(m, t(), bins, rank, [&](uint32_t k) -> uint64_t {
        const uint32_t c = counts[k];
        return c;
      });
      if (t() == 0) {
        word[0] = f.digit;
        word[1] = static_cast<uint32_t>(f.rank);
        word[2] = static_cast<uint32_t>(f.count);
      }
    }
    m.sync();
    const uint32_t d = word[0], r = word[1], c = word[2];
    return {d, r, c};
  }

  // Finds a rank among at most `few` keys, which begin with a prefix. high: the next key among
  // them, or the greatest of them.
  ONEFOLD_KERNEL Neighbours among_few(K prefix, unsigned known, uint32_t rank,
                                      uint32_t count) const {
    if (t() == 0) word[3] = 0u;
    m.sync();
    keys.each(t(), threads(), [&](K k) {
      if (m.branch(begins(k, prefix, known))) {
        const uint32_t at = m.add(word, 3, 1u);
        list[at] = k;
      }
    });
    m.sync();
    if (t() < 32) {
      K mine = static_cast<K>(~K{0});
      if (m.branch(t() < count)) mine = list[t()];
      uint32_t before = 0;
      ONEFOLD_NO_UNROLL
      for (unsigned lane = 0; lane < count; ++lane) {
        const K other = m.shuffle(mine, lane);
        before += other < mine || (other == mine && lane < t()) ? 1 : 0;
      }
      const uint32_t next = rank + 1 < count ? rank + 1 : rank;
      if (m.branch(t() < count && before == rank)) best[0] = mine;
      if (m.branch(t() < count && before == next)) best[1] = mine;
    }
    m.sync();
    const K low = best[0], high = best[1];
    return {low, high};
  }

  ONEFOLD_KERNEL Neighbours select(uint32_t rank, bool next) const {
    K prefix = 0;
    unsigned known = 0;
    uint32_t count = n;
    ONEFOLD_NO_UNROLL
    while (known < bits && count > few) {
      const FoundDigit f = count_digit(prefix, known, rank);
      prefix = static_cast<K>(prefix << digit | f.digit);
      rank = static_cast<uint32_t>(f.rank);
      count = static_cast<uint32_t>(f.count);
      known += digit;
    }
    Neighbours found{prefix, prefix};
    if (known < bits) found = among_few(prefix, known, rank, count);
    if (!next) return {found.low, found.low};
    if (rank + 1 < count) return found;
    found.high = least([&](K k) { return k > found.low; });
    return found;
  }
};

}  // namespace onefold::kernel
