#pragma once

#include "lab/text.hpp"

namespace onefold::lab::access {

// Each block reads as many vectors as another, from a place of its own (from one place, the chip
// serves many multiprocessors by one read), and begins again where the set ends.
//
//   sizes  0: vectors of the set, a power of two; 1: vectors that a block reads; 2: from the place
//          of a block to that of the next
struct working_set {
  using X = Vector16<uint32_t>;
  using Y = uint32_t;
  static constexpr About about{.title = "Reads of a set, again and again",
                               .idea = "a set that a cache holds is read at the cache's speed",
                               .source = "002, Fermi's caches"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto mask = static_cast<unsigned>(a[0]) - 1;
    const auto each = static_cast<unsigned>(a[1]);
    auto at = m.block() * static_cast<unsigned>(a[2]) + m.thread();
    uint32_t sum = 0;
    for (unsigned k = 0; k < each / m.threads(); k += 4) {
      X e[4];
      for (int j = 0; j < 4; ++j) {
        e[j] = x[at & mask];
        at += m.threads();
      }
      for (int j = 0; j < 4; ++j) sum += e[j].sum();
    }
    y[m.block() * m.threads() + m.thread()] = sum;
  }
};

}  // namespace onefold::lab::access
