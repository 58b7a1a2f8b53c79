// A set of ops as bits. Unlike ops.hpp, this header does not include the ops themselves.
#pragma once

#include "onefold/core/base.hpp"

namespace onefold::kernel {

// All ops of a set read one array, or all read two. Bit k is the k-th such op of generated/op.list.
// Bit 63: they read two arrays. Bit 62: sums are digits (quick/digits.hpp) instead of f64.
using OpSet = uint64_t;
inline constexpr OpSet two_arrays = OpSet{1} << 63, by_digits = OpSet{1} << 62;

// The largest number of ops that a launch answers, and a set of so many, by which memory for
// answers is sized. The kernels' parameters hold a formula for each.
inline constexpr int op_count = 30;
inline constexpr OpSet all_ops = (OpSet{1} << op_count) - 1;

// The bit of an op, plus 64 if the op reads two arrays.
enum class OpIndex : int;

constexpr OpSet bit_of(OpIndex op) {
  const int k = static_cast<int>(op);
  return OpSet{1} << k % 64 | (k < 64 ? 0 : two_arrays);
}
constexpr bool asks(OpSet ops, OpIndex op) {
  return (ops & bit_of(op)) == bit_of(op) && (ops & two_arrays) == (bit_of(op) & two_arrays);
}
constexpr int count_ops(OpSet ops) {
  int n = 0;
  for (ops &= ~(two_arrays | by_digits); ops != 0; ops &= ops - 1) ++n;
  return n;
}

}  // namespace onefold::kernel
