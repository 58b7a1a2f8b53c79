// A set of ops as bits. Unlike ops.hpp, this header does not include the ops themselves.
#pragma once

#include "onefold/core/base.hpp"

namespace onefold::kernel {

// All ops of a set read one array, or all read two. Bit k is the k-th such op of generated/op.list.
// Bit 31: they read two arrays. Bit 30: sums are digits (quick/digits.hpp) instead of f64.
inline constexpr uint32_t two_arrays = uint32_t{1} << 31, by_digits = uint32_t{1} << 30;

// The largest number of ops in a set, and a set of so many ops, by which memory for answers is
// sized.
inline constexpr int op_count = 30;
inline constexpr uint32_t all_ops = by_digits - 1;

// Returns the bit of an op, plus 32 if the op reads two arrays.
enum class OpIndex : int;

constexpr uint32_t bit_of(OpIndex op) {
  const int k = static_cast<int>(op);
  return uint32_t{1} << k % 32 | (k < 32 ? 0 : two_arrays);
}
constexpr bool asks(uint32_t ops, OpIndex op) {
  return (ops & bit_of(op)) == bit_of(op) && (ops & two_arrays) == (bit_of(op) & two_arrays);
}
constexpr int count_ops(uint32_t ops) {
  int n = 0;
  for (ops &= ~(two_arrays | by_digits); ops != 0; ops &= ops - 1) ++n;
  return n;
}

}  // namespace onefold::kernel
