// The sum of all finite elements, each taken as the decimal that a text spells for it.
//
//   words    of nine digits, exact/decimal.hpp
//   element  the decimal of at most 15 digits and an exponent from -22 to 22 whose nearest f64 it
//            is; else the element itself. For longer decimals the reader of the text adds the
//            rest (onefold/engine/plan/decimal_terms.hpp)
//   empty    0
//   NaN      left out, as are infinities: the tally counts them
//   exact    yes, whatever the order
#pragma once

#include "onefold/core/accumulator_concept.hpp"
#include "onefold/core/exact/decimal.hpp"

namespace onefold::accumulator {

template <class T>
struct decimal {
  using Element = T;
  static constexpr int words = onefold::decimal::words;
  static constexpr int64_t base = onefold::decimal::base;  // each word is below it

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, Size) {
    const Numeric v = numeric(x);
    if (v.mantissa == 0) return;
    if constexpr (dtype_of<T> == DType::f64) {
      onefold::decimal::Short d;
      if (onefold::decimal::find_short(v.negative ? -x : x, d)) {
        onefold::decimal::add_scaled(add, d.magnitude, v.negative, d.exponent);
        return;
      }
    }
    onefold::decimal::add_binary(add, v.mantissa, v.negative, unit_of<T> + v.shift);
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) { onefold::decimal::carry(w, words); }
};

}  // namespace onefold::accumulator
