// Elements that count several times (weighted/input.hpp), in the words of a state.
#pragma once

#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// Whether elements of an input count several times.
template <class Input>
concept Repeats = requires(const Input& in) {
  in.counts;
};

// Adds a digit `times` times, as up to three digits; the last limb takes what is above it.
template <class M>
ONEFOLD_KERNEL void add_times(M m, const Shared<M, int64_t>& to, int word, int limbs, int64_t digit,
                              Size times) {
  const bool negative = digit < 0;
  auto p = static_cast<Uint128>(static_cast<uint64_t>(negative ? -digit : digit)) * times;
  ONEFOLD_NO_UNROLL
  for (; p != 0; ++word) {
    const bool last = word + 1 >= limbs;
    const auto low = static_cast<uint64_t>(p);
    const auto v = static_cast<int64_t>(last ? low : low & 0xffffffffu);
    m.add(to, last ? limbs - 1 : word, negative ? -v : v);
    if (last) break;
    p >>= 32;
  }
}

}  // namespace onefold::kernel
