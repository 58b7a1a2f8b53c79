#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct cpu_recursive {
  static constexpr Rung about{
      .title = "Recursive interleaved pairs on the host",
      .idea = "add the second half to the first, then do the same with that",
      .source = "001, recursiveReduce",
      .published = {{29.138, "ms", "host of the Tesla M2070"}},
      .after = "cpu_loop",
      .flow = Flow::host,
      .in_place = true};

  // `scratch` holds the elements and is overwritten.
  template <class F, class T = typename F::Type>
  static T host(const T*, T* scratch, Size n) {
    if (n == 0) return F::identity();
    while (n > 1) {
      const Size half = n - n / 2;  // an odd one out waits for the next round
      for (Size i = 0; i < n / 2; ++i) scratch[i] = F::fold(scratch[i], scratch[i + half]);
      n = half;
    }
    return scratch[0];
  }

  struct as_published {
    static constexpr Twin about{.flaws = wrong_result,
                                .why = "a size that is not a power of two loses elements",
                                .in_place = true};

    template <class F, class T = typename F::Type>
    static T host(const T*, T* scratch, Size n) {
      if (n == 0) return F::identity();  // as printed it never returns
      for (; n > 1; n /= 2) {
        for (Size i = 0; i < n / 2; ++i) scratch[i] = F::fold(scratch[i], scratch[i + n / 2]);
      }
      return scratch[0];
    }
  };
};

}  // namespace onefold::lab::reduce
