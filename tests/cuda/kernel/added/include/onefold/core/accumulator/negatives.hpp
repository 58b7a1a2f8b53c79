// Counts elements below zero: an accumulator in one file, for which no backend has a feed.
#pragma once

#include "onefold/core/accumulator_concept.hpp"
#include "onefold/core/dtype.hpp"

namespace onefold::accumulator {

template <class T>
struct negatives {
  using Element = T;
  enum : int { count, words };

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, Size) {
    const Numeric v = numeric(x);
    if (v.negative && v.finite && v.mantissa != 0) add(count, 1);
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t*) {}
};

}  // namespace onefold::accumulator
