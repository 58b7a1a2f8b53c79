#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct templated {
  static constexpr Rung about{
      .title = "Block size as a template argument",
      .idea = "the block size is known when the kernel is compiled, so no loop is left",
      .source = "002, implementation 6",
      .published = {{50.64, "GB/s", "GTX 280"}, {12.66, "10^9 elements/s", "GTX 280"}},
      .after = "last_warp_unrolled",
      .flow = Flow::levels,
      .a_thread = 2,
      .block_known = true,
      .shared_a_thread = 1};

  // The block's tree, its values in s[0..B) and synchronised; the sum is in s[0] for thread 0.
  template <unsigned B, class M, class S, class I>
  ONEFOLD_KERNEL static void tree(M m, S s, I t) {
    for_constants<512, 256, 128, 64>([&]<int h>() {
      if constexpr (B > h) {
        if (t < h) s[t] += s[t + h];
        m.sync();
      }
    });
    if (t < 32) {
      for_constants<32, 16, 8, 4, 2, 1>([&]<int h>() {
        if constexpr (B > h) {
          if (t < h) s[t] += s[t + h];
          m.sync_warp();
        }
      });
    }
  }

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> v, Out<M, T> w, Size n) {
    auto s = shared_of_launch<T>(m);
    const auto t = m.thread();
    const auto i = Size(m.block()) * (B * 2) + t;
    T x = m.inside(i, n) ? v[i] : T(0);
    if (m.inside(i + B, n)) x += v[i + B];
    s[t] = x;
    m.sync();
    tree<B>(m, s, t);
    if (t == 0) w[m.block()] = s[0];
  }

  struct as_published {
    static constexpr Twin about{.flaws = race | out_of_bounds | wrong_result,
                                .why =
                                    "relies on lock-step execution; a block of 1024 loses half; "
                                    "v[block] is written while other "
                                    "blocks read v; n must be a multiple of two blocks",
                                .in_place = true};

    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> v, Out<M, T> w, Size) {
      auto s = shared_of_launch<T>(m);
      const auto t = m.thread();
      const auto i = Size(m.block()) * (B * 2) + t;
      s[t] = v[i] + v[i + B];
      m.sync();
      last_steps<B>(m, s, t);
      if (t == 0) w[m.block()] = s[0];
    }

    template <unsigned B, class M, class S, class I>
    ONEFOLD_KERNEL static void last_steps(M m, S s, I t) {
      if constexpr (B >= 512) {
        if (t < 256) s[t] += s[t + 256];
        m.sync();
      }
      if constexpr (B >= 256) {
        if (t < 128) s[t] += s[t + 128];
        m.sync();
      }
      if constexpr (B >= 128) {
        if (t < 64) s[t] += s[t + 64];
        m.sync();
      }
      if (t < 32) {
        if constexpr (B >= 64) s[t] += s[t + 32];
        if constexpr (B >= 32) s[t] += s[t + 16];
        if constexpr (B >= 16) s[t] += s[t + 8];
        if constexpr (B >= 8) s[t] += s[t + 4];
        if constexpr (B >= 4) s[t] += s[t + 2];
        if constexpr (B >= 2) s[t] += s[t + 1];
      }
    }
  };
};

}  // namespace onefold::lab::reduce
