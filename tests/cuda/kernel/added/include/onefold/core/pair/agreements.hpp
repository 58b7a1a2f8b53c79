// Counts pairs of equal numbers: an accumulator of two arrays without a feed.
#pragma once

#include "onefold/core/accumulator_concept.hpp"
#include "onefold/core/dtype.hpp"

namespace onefold::accumulator {

template <class T>
struct agreements {
  using Element = T;
  enum : int { count, words };

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, T y, Size) {
    const Numeric a = numeric(x), b = numeric(y);
    const bool zeros = a.mantissa == 0 && b.mantissa == 0;
    const bool same = a.negative == b.negative && a.mantissa == b.mantissa && a.shift == b.shift;
    if (a.finite && b.finite && (zeros || same)) add(count, 1);
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t*) {}
};

}  // namespace onefold::accumulator
