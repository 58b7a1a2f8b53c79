#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct first_add_on_load {
  static constexpr Rung about{
      .title = "First add on load",
      .idea = "half of the threads only loaded an element; now each thread adds two as it loads",
      .source = "002, implementation 4",
      .published = {{27.16, "GB/s", "GTX 280"}, {6.79, "10^9 elements/s", "GTX 280"}},
      .after = "sequential",
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
    for (unsigned h = m.threads() / 2; h > 0; h /= 2) {
      if (t < h) s[t] += s[t + h];
      m.sync();
    }
    if (t == 0) w[m.block()] = s[0];
  }

  struct as_published {
    static constexpr Twin about{
        .flaws = race | out_of_bounds | wrong_result,
        .why =
            "writes v[block] while other blocks still read v; n must be a multiple of two blocks",
        .in_place = true};

    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> v, Out<M, T> w, Size) {
      auto s = shared_of_launch<T>(m);
      const auto t = m.thread();
      const auto i = Size(m.block()) * (m.threads() * 2) + t;
      s[t] = v[i] + v[i + m.threads()];
      m.sync();
      for (unsigned h = m.threads() / 2; h > 0; h /= 2) {
        if (t < h) s[t] += s[t + h];
        m.sync();
      }
      if (t == 0) w[m.block()] = s[0];
    }
  };
};

}  // namespace onefold::lab::reduce
