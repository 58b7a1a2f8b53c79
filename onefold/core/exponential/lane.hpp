// Quick exponentials (quick_exp.inl) and answers of a row (row_answers.inl), one at a time.
#pragma once

#include "onefold/core/exact/quick.hpp"
#include "onefold/core/exponential/powers.hpp"

namespace onefold {

struct ExponentialLane : OneLane {
  ONEFOLD_FN static V floor(V a) {
#if defined(__CUDA_ARCH__)
    return ::floor(a);
#else
    return __builtin_floor(a);
#endif
  }
  // Multiplies v, of about 1, by 2^k, where t = rint_magic + k.
  ONEFOLD_FN static V times_power(V v, V t) {
    return bit_cast<V>(bit_cast<uint64_t>(v) + (bit_cast<uint64_t>(t) << 52));
  }
  // Returns 2^(k >> 12).
  ONEFOLD_FN static V power_above_4096(V t) {
    return bit_cast<V>(((bit_cast<uint64_t>(t) & ~uint64_t{4095}) << 40) + bit_cast<uint64_t>(1.0));
  }
  // Returns table[(k >> shift) & 63].
  template <int shift, class Table>
  ONEFOLD_FN static V lookup(const Table& table, V t) {
    const double v = table[static_cast<unsigned>(bit_cast<uint64_t>(t) >> shift & 63)];
    return v;
  }
};

#define ONEFOLD_QUICK_FN ONEFOLD_FN
#include "onefold/core/exponential/quick_exp.inl"
#undef ONEFOLD_QUICK_FN

}  // namespace onefold
