#pragma once

#include "lab/text.hpp"

namespace onefold::lab::spaces {

enum class By { its_own, shuffle, shared_memory };

// Each lane adds its neighbour's number, again and again.
//
//   sizes  0: times
template <By by>
struct exchange {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{
      .title = "A neighbour's number",
      .idea = "from a register of one's own, by a shuffle, or through shared memory",
      .source = "002, registers and shared memory; 003, shuffles"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    auto s = m.as_volatile(shared<uint32_t, 1024, exchange>(m));
    const auto t = m.thread();
    uint32_t v = x[m.lane()];
    for (Size k = 0; k < a[0]; ++k) {
      if constexpr (by == By::its_own) {
        v += v ^ (v >> 1);
      } else if constexpr (by == By::shuffle) {
        v += m.shuffle_xor(v, 1);
        v ^= v >> 1;
      } else {
        s[t] = v;
        m.sync_warp();
        const uint32_t w = s[t ^ 1];
        m.sync_warp();
        v += w;
        v ^= v >> 1;
      }
    }
    y[m.block() * m.threads() + t] = v;
  }
};

}  // namespace onefold::lab::spaces
