// Powers of 64-bit integers as digits of 32 bits, the lowest first.
#pragma once

#include "onefold/core/exact/limbs.hpp"

namespace onefold {

// Passes the digits of (-1)^negative * m^exponent * 2^position to `add`, one for each limb.
//   bits  m is below 2^bits
template <int exponent, int bits, class Sink>
ONEFOLD_FN constexpr void deposit_power(Sink&& add, uint64_t m, bool negative, int position) {
  if constexpr (exponent * bits <= 128) {
    Uint128 power = m;
    for (int k = 1; k < exponent; ++k) power *= m;
    deposit(add, power, negative, position);
  } else {
    constexpr int size = (exponent * bits + 31) / 32;
    uint32_t power[size] = {static_cast<uint32_t>(m), static_cast<uint32_t>(m >> 32)};
    for (int k = 1; k < exponent; ++k) {
      // Multiplies the power by m: digit j becomes the lowest digit of m times itself + carry.
      Uint128 carry = 0;
      for (int j = 0; j < size; ++j) {
        carry += static_cast<Uint128>(m) * power[j];
        power[j] = static_cast<uint32_t>(carry);
        carry >>= 32;
      }
    }
    deposit(add, power, negative, position);
  }
}

}  // namespace onefold
