#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct last_warp_unrolled {
  static constexpr Rung about{
      .title = "Last warp unrolled",
      .idea = "one warp needs no block barrier: its steps are written out, and the other warps end",
      .source = "002, implementation 5",
      .published = {{37.68, "GB/s", "GTX 280"}, {9.42, "10^9 elements/s", "GTX 280"}},
      .after = "first_add_on_load",
      .flow = Flow::levels,
      .a_thread = 2,
      .shared_a_thread = 1};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> v, Out<M, T> w, Size n) {
    auto s = shared_of_launch<T>(m);
    const auto t = m.thread();
    const auto i = Size(m.block()) * m.threads() * 2 + t;
    T x = m.inside(i, n) ? v[i] : T(0);
    if (m.inside(i + m.threads(), n)) x += v[i + m.threads()];
    s[t] = x;
    m.sync();
    for (unsigned h = m.threads() / 2; h > 32; h /= 2) {
      if (t < h) s[t] += s[t + h];
      m.sync();
    }
    if (t < 32) {
      for_constants<32, 16, 8, 4, 2, 1>([&]<int h>() {
        if (h >= m.threads()) return;
        if (t < h) s[t] += s[t + h];
        m.sync_warp();
      });
    }
    if (t == 0) w[m.block()] = s[0];
  }

  struct as_published {
    static constexpr Twin about{.flaws = race | out_of_bounds | wrong_result,
                                .why =
                                    "relies on lock-step execution; a block of 32 reads past its "
                                    "array; v[block] is written while "
                                    "other blocks read v; n must be a multiple of two blocks",
                                .in_place = true};

    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> v, Out<M, T> w, Size) {
      auto s = shared_of_launch<T>(m);
      const auto t = m.thread();
      const auto i = Size(m.block()) * (m.threads() * 2) + t;
      s[t] = v[i] + v[i + m.threads()];
      m.sync();
      for (unsigned h = m.threads() / 2; h > 32; h /= 2) {
        if (t < h) s[t] += s[t + h];
        m.sync();
      }
      if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
      }
      if (t == 0) w[m.block()] = s[0];
    }
  };
};

}  // namespace onefold::lab::reduce
