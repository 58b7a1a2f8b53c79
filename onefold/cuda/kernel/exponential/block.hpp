// Reduces numbers of the threads of a block, all of which call each function and get the answer.
#pragma once

#include "onefold/core/exponential/logarithm.hpp"
#include "onefold/machine/machine.hpp"

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

}  // namespace onefold::kernel
