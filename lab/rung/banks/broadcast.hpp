#pragma once

#include "lab/rung/shared_read.hpp"

namespace onefold::lab::banks {

struct broadcast {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "s[k]",
                               .idea = "all lanes read one word, and one access serves them",
                               .source = "002, broadcast"};

  template <class L>
  ONEFOLD_KERNEL static auto place(L lane, const Sizes& a) {
    return lane * 0u + static_cast<unsigned>(a[0]);
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    read_shared<broadcast, X, 2048>(m, x, y, a);
  }
};

}  // namespace onefold::lab::banks
