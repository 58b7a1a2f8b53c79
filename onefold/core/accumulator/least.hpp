// The least element, and where it first stands.
//
//   words    order key, first index, index of the first NaN
//   empty    index and NaN index are `none`
//   NaN      never the least; its first index is kept separately, so that every policy can be
//            answered
//   exact    yes; -0 counts as less than +0
//   source   IEEE 754-2019, 9.6; Array API 2025.12 (first occurrence)
#pragma once

#include "onefold/core/accumulator_concept.hpp"
#include "onefold/core/order_key.hpp"

namespace onefold::accumulator {

template <class T>
struct least {
  using Element = T;
  struct State {
    int64_t key = int64_max;
    Size index = none;
    Size nan_index = none;
  };
  static constexpr int words = 3;

  ONEFOLD_FN static constexpr void merge(State& a, const State& b) {
    if (b.key < a.key || (b.key == a.key && b.index < a.index)) {
      a.key = b.key;
      a.index = b.index;
    }
    if (b.nan_index < a.nan_index) a.nan_index = b.nan_index;
  }
  ONEFOLD_FN static constexpr void lift(State& s, T x, Size i) {
    if constexpr (Floating<T>) {
      if (decode(x).nan) {
        merge(s, {.nan_index = i});
        return;
      }
    }
    merge(s, {.key = order_key(x), .index = i});
  }
};

}  // namespace onefold::accumulator
