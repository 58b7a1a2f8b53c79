// How many elements are zero, of either sign.
//
//   words    the count
//   NaN      is not zero
//   exact    yes
#pragma once

#include "onefold/core/numeric.hpp"

namespace onefold::accumulator {

template <class T>
struct zeros {
  using Element = T;
  enum : int { count, words };

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, Size) {
    if (numeric(x).mantissa == 0 && numeric(x).finite) add(count, 1);
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t*) {}
};

}  // namespace onefold::accumulator
