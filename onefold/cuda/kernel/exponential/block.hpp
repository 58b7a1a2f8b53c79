// What the blocks that compute slices again share: numbers of a block's threads, which are reduced,
// and the loop over noted slices. All threads call each function and get the answer.
#pragma once

#include "onefold/cuda/kernel/exponential/input.hpp"
#include "onefold/cuda/kernel/undecided.hpp"

namespace onefold::kernel {

template <unsigned threads, class M>
struct BlockNumbers {
  M m;
  Shared<M, double> word = shared<double, int{threads}, struct block_words_>(m);
  Shared<M, double> low = shared<double, int{threads}, struct block_lows_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }

  // f(a, b) is associative and commutative.
  template <class F>
  ONEFOLD_KERNEL double reduce(double mine, F f) const {
    m.sync();
    word[t()] = mine;
    m.sync();
    ONEFOLD_NO_UNROLL
    for (unsigned d = threads / 2; d != 0; d /= 2) {
      if (t() < d) {
        const double a = word[t()], b = word[t() + d];
        word[t()] = f(a, b);
      }
      m.sync();
    }
    const double all = word[0];
    return all;
  }
  ONEFOLD_KERNEL double sum(double mine) const {
    return reduce(mine, [](double a, double b) { return a + b; });
  }
  ONEFOLD_KERNEL bool any(bool mine) const { return sum(mine ? 1 : 0) != 0; }
  ONEFOLD_KERNEL DoublePair pairs(DoublePair mine) const {
    m.sync();
    word[t()] = mine.high;
    low[t()] = mine.low;
    m.sync();
    ONEFOLD_NO_UNROLL
    for (unsigned d = threads / 2; d != 0; d /= 2) {
      if (t() < d) {
        const double h = word[t() + d], l = low[t() + d];
        add_pair(mine, {h, l});
        word[t()] = mine.high;
        low[t()] = mine.low;
      }
      m.sync();
    }
    const double h = word[0], l = low[0];
    return {h, l};
  }
};

// Calls f(slice) for the noted slices of the block, of again_threads, and clears the notes: of
// neighbouring slices another block has the next.
template <class M, class T, class F>
ONEFOLD_KERNEL void each_noted_slice(M m, const Exponential<M, T>& in, const Scratch<M>& scratch,
                                     F f) {
  if (how_many_undecided(m, scratch) == 0) return;
  const auto t = static_cast<unsigned>(m.thread());
  const auto list = shared<int64_t, int{again_threads}, struct again_list_>(m);
  const auto count = shared<uint32_t, 1, struct again_count_>(m);
  ONEFOLD_NO_UNROLL
  for (Size base = 0; base < in.nest.answers; base += Size{again_threads} * m.blocks()) {
    if (t == 0) count[0] = 0u;
    m.sync();
    const Size i = base + Size{t} * m.blocks() + m.block();
    if (m.branch(i < in.nest.answers)) {
      const auto noted = scratch.undecided + (undecided_words + i);
      if (load_relaxed<uint32_t>(m, noted, 0) != 0) {
        const uint32_t at = m.add(count, 0, 1u);
        list[at] = static_cast<int64_t>(i);
        noted[0] = 0u;
      }
    }
    m.sync();
    const uint32_t n = count[0];
    ONEFOLD_NO_UNROLL
    for (uint32_t k = 0; k < n; ++k) {
      const int64_t one = list[k];
      f(static_cast<Size>(one));
    }
    m.sync();
  }
  end_undecided(m, scratch, 0, list);
}

}  // namespace onefold::kernel
