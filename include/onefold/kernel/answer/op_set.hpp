// A set of ops as bits, without what the ops are (ops.hpp).
#pragma once

#include "onefold/base.hpp"

namespace onefold::kernel {

// A set holds ops that read as many arrays: bit k is the k-th of those in generated/op.list. Bit 31
// says that they read two, bit 30 that a walk sums by digits (quick/digits.hpp) instead of f64.
inline constexpr uint32_t two_arrays = uint32_t{1} << 31, by_digits = uint32_t{1} << 30;

// The most ops that a set holds, and such a set: for the size of memory that holds answers of any.
inline constexpr int op_count = 30;
inline constexpr uint32_t all_ops = by_digits - 1;

// The bit of an op; 32 more if it reads two arrays.
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
