#pragma once

#include "lab/rung/reduce/templated.hpp"

namespace onefold::lab::reduce {

struct many_elements_a_thread {
  static constexpr Rung about{
      .title = "Many elements a thread",
      .idea =
          "n / log n threads with log n sequential steps each: cost O(n), fewer indices to compute",
      .source = "002, implementation 7",
      .published = {{77.21, "GB/s", "GTX 280"}, {19.3, "10^9 elements/s", "GTX 280"}},
      .after = "templated",
      .flow = Flow::two_pass,
      .grid = Grid::chosen,
      .block_known = true,
      .shared_a_thread = 1};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> v, Out<M, T> w, Size n) {
    auto s = shared_of_launch<T>(m);
    const auto t = m.thread();
    const Size stride = Size(m.blocks()) * B * 2;
    T x = T(0);
    for (auto i = Size(m.block()) * (B * 2) + t; m.inside(i, n); i += stride) {
      x += v[i];
      if (m.inside(i + B, n)) x += v[i + B];
    }
    s[t] = x;
    m.sync();
    templated::tree<B>(m, s, t);
    if (t == 0) w[m.block()] = s[0];
  }

  struct as_published {
    static constexpr Twin about{.flaws = race | out_of_bounds | wrong_result,
                                .why =
                                    "v[i + blockSize] may lie past n; relies on lock-step "
                                    "execution; a block of 1024 loses half; "
                                    "v[block] is written while other blocks read v",
                                .grid = Grid::chosen,
                                .in_place = true};

    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> v, Out<M, T> w, Size n) {
      auto s = shared_of_launch<T>(m);
      const auto t = m.thread();
      auto i = Size(m.block()) * (B * 2) + t;
      const Size stride = Size(m.blocks()) * B * 2;
      s[t] = T(0);
      while (i < n) {
        s[t] += v[i] + v[i + B];
        i += stride;
      }
      m.sync();
      templated::as_published::last_steps<B>(m, s, t);
      if (t == 0) w[m.block()] = s[0];
    }
  };
};

}  // namespace onefold::lab::reduce
