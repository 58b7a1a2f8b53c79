#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct naive {
  static constexpr Rung about{
      .title = "Naive: one launch a level",
      .idea = "pairs in global memory, log2 n launches: 2 n reads and n writes",
      .source = "002, naive approach",
      .flow = Flow::pairs,
      .in_place = true};

  // Element i takes in the one `step` behind it; partners are twice as far apart at each launch.
  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> v, Size n, Size step) {
    const auto i = (Size(m.block()) * m.threads() + m.thread()) * (2 * step);
    if (m.inside(i + step, n)) v[i] += v[i + step];
  }

  struct as_published {
    static constexpr Twin about{.flaws = wrong_result,
                                .why =
                                    "as worded, the sums stay where they are: each launch adds v[i "
                                    "+ 1] again, and the sums are never combined",
                                .in_place = true};

    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> v, Size n, Size step) {
      const auto i = (Size(m.block()) * m.threads() + m.thread()) * 2;
      if (i + 1 < n / step) v[i] += v[i + 1];
    }
  };
};

}  // namespace onefold::lab::reduce
