#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct strided_index {
  static constexpr Rung about{
      .title = "Strided index",
      .idea =
          "the first threads work, so warps do not diverge; but their strides cause bank conflicts",
      .source = "002, implementation 2 (the scan prints % for the second *)",
      .published = {{8.33, "GB/s", "GTX 280"}, {2.08, "10^9 elements/s", "GTX 280"}},
      .after = "modulo",
      .flow = Flow::levels,
      .shared_a_thread = 1};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> v, Out<M, T> w, Size n) {
    auto s = shared_of_launch<T>(m);
    const auto t = m.thread();
    const auto i = Size(m.block()) * m.threads() + t;
    s[t] = m.inside(i, n) ? v[i] : T(0);
    m.sync();
    for (unsigned h = 1; h < m.threads(); h *= 2) {
      const auto index = 2 * h * t;
      if (index < m.threads()) s[index] += s[index + h];
      m.sync();
    }
    if (t == 0) w[m.block()] = s[0];
  }

  struct as_published {
    static constexpr Twin about{
        .flaws = race | out_of_bounds | wrong_result,
        .why = "writes v[block] while other blocks still read v; n must be a multiple of the block",
        .in_place = true};

    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> v, Out<M, T> w, Size) {
      auto s = shared_of_launch<T>(m);
      const auto t = m.thread();
      const auto i = Size(m.block()) * m.threads() + t;
      s[t] = v[i];
      m.sync();
      for (unsigned h = 1; h < m.threads(); h *= 2) {
        const auto index = 2 * h * t;
        if (index < m.threads()) s[index] += s[index + h];
        m.sync();
      }
      if (t == 0) w[m.block()] = s[0];
    }
  };
};

}  // namespace onefold::lab::reduce
