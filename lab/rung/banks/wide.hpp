#pragma once

#include "lab/rung/shared_read.hpp"

namespace onefold::lab::banks {

template <class T>
struct wide {
  using X = T;
  using Y = uint32_t;
  static constexpr About about{.title = "s[t] of 4, 8 or 16 bytes",
                               .idea = "a bank gives 4 bytes at a time: wide elements take turns",
                               .source = "002, organisation of shared memory"};

  template <class L>
  ONEFOLD_KERNEL static auto place(L lane, const Sizes&) {
    return lane + 0u;
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    read_shared<wide, T, 512>(m, x, y, a);
  }
};

}  // namespace onefold::lab::banks
