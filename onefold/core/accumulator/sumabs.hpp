// The sum of the absolute values of all finite elements.
//
//   words    limbs of weight 2^(unit + 32 k), exact/limbs.hpp
//   empty    0
//   NaN      left out, as are infinities: the tally counts them
//   exact    yes, whatever the order; 64 bits of room above the largest element
#pragma once

#include "onefold/core/exact/limbs.hpp"
#include "onefold/core/numeric.hpp"

namespace onefold::accumulator {

template <class T>
struct sumabs {
  using Element = T;
  static constexpr int unit = unit_of<T>;
  static constexpr int limbs = limbs_for(value_bits<T>);
  static constexpr int words = limbs;

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, Size) {
    const Numeric v = numeric(x);
    if (v.mantissa != 0) deposit(add, v.mantissa, false, v.shift);
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) { carry(w, limbs); }
};

}  // namespace onefold::accumulator
