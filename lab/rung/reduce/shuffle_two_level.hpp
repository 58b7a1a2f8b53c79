#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct shuffle_two_level {
  static constexpr Rung about{
      .title = "Shuffle, two levels",
      .idea = "a warp folds in registers; one value a warp goes through shared memory",
      .source = "003, fourth reduce_kernel",
      .after = "neighbored_shared",
      .block_known = true,
      .any_op = true};

  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
    auto sums = shared<T, B / 32, struct sums_>(m);
    const auto t = m.thread();
    const auto i = Size(m.block()) * B + t;
    T v = m.inside(i, n) ? x[i] : F::identity();
    for (unsigned d = 16; d > 0; d /= 2) v = F::fold(v, m.shuffle_down(v, d));
    if constexpr (B > 32) {
      if (t % 32 == 0) sums[t / 32] = v;
      m.sync();
      if (t < 32) {  // the whole warp takes part, so every lane that the mask names is there
        v = t < B / 32 ? sums[t] : F::identity();
        for (unsigned d = B / 64; d > 0; d /= 2) v = F::fold(v, m.shuffle_down(v, d));
      }
    }
    if (t == 0) y[m.block()] = v;
  }

  struct as_published {
    static constexpr Twin about{
        .flaws = absent_lane,
        .why = "the second level passes a mask of 32 lanes, but only block / 32 of them run"};

    ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
      auto sa = shared<T, B, struct sa_>(m);
      auto sums = shared<T, B / 32, struct sums_>(m);
      const auto t = m.thread();
      const auto i = Size(m.block()) * B + t;
      sa[t] = i < n ? x[i] : F::identity();
      T v = sa[t];
      for (unsigned d = 16; d > 0; d /= 2) v = F::fold(v, m.shuffle_down(~0u, v, d));
      if (t % 32 == 0) sums[t / 32] = v;
      m.sync();
      if (t < B / 32) {
        v = sums[t];
        for (unsigned d = B / 64; d > 0; d /= 2) v = F::fold(v, m.shuffle_down(~0u, v, d));
      }
      if (t == 0) y[m.block()] = v;
    }
  };
};

}  // namespace onefold::lab::reduce
