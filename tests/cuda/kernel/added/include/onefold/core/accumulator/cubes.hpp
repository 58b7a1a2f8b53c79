// The exact sum of the cubes of the finite elements. A cube of f64 has 159 bits, more than a
// 128-bit integer.
#pragma once

#include "onefold/core/accumulator_concept.hpp"
#include "onefold/core/exact/limbs.hpp"

namespace onefold::accumulator {

template <class T>
struct cubes {
  using Element = T;
  static constexpr int unit = 3 * unit_of<T>;
  static constexpr int limbs = limbs_for(3 * value_bits<T>);
  enum : int { words = limbs };

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, Size) {
    const Numeric v = numeric(x);
    if (v.mantissa == 0) return;
    const Uint128 square = static_cast<Uint128>(v.mantissa) * v.mantissa;
    uint32_t cube[6];
    Uint128 carried = 0;
    for (int k = 0; k < 4; ++k) {
      carried += static_cast<uint64_t>(square >> 32 * k & 0xffffffffu) * Uint128{v.mantissa};
      cube[k] = static_cast<uint32_t>(carried);
      carried >>= 32;
    }
    cube[4] = static_cast<uint32_t>(carried);
    cube[5] = static_cast<uint32_t>(carried >> 32);
    deposit(add, cube, v.negative, 3 * v.shift);
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) { carry(w, limbs); }
};

}  // namespace onefold::accumulator
