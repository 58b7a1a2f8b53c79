#pragma once

#include "lab/rung/shared_read.hpp"

namespace onefold::lab::banks {

struct stride {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "s[t * c]",
                               .idea = "free for odd c: c and the number of banks share no factor",
                               .source = "002, access patterns"};

  template <class L>
  ONEFOLD_KERNEL static auto place(L lane, const Sizes& a) {
    return lane * static_cast<unsigned>(a[0]);
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    read_shared<stride, X, 2048>(m, x, y, a);
  }
};

}  // namespace onefold::lab::banks
