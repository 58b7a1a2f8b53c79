#pragma once

#include "lab/text.hpp"

namespace onefold::lab::spaces {

// 96 numbers a thread, all needed until the end: 255 registers hold them, the 64 that are left to
// a thread of a block of 1024 do not.
//
//   sizes  0: times; 1: a number that no compiler may know
struct spilling {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "Registers spilled",
                               .idea = "what registers cannot hold goes to memory and back",
                               .source = "002, registers"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    constexpr unsigned numbers = 96;
    const uint32_t v = x[m.lane()];
    const auto factor = static_cast<uint32_t>(a[1]);
    uint32_t n[numbers];
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < numbers; ++k) n[k] = v + k;
    ONEFOLD_NO_UNROLL
    for (Size r = 0; r < a[0]; ++r) {
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < numbers; ++k) n[k] = n[k] * factor + n[(k + 1) % numbers];
    }
    uint32_t sum = 0;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < numbers; ++k) sum += n[k] ^ k;
    y[m.block() * m.threads() + m.thread()] = sum;
  }
};

}  // namespace onefold::lab::spaces
