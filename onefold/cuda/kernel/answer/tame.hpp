// Rounds the answer of one op from one sum in registers, if all elements fit the windows. It needs
// no words and no shared memory.
#pragma once

#include "onefold/cuda/kernel/answer/ops.hpp"
#include "onefold/cuda/kernel/answer/place.hpp"
#include "onefold/cuda/kernel/number/convert.hpp"

namespace onefold::kernel {

// The view of a sum in registers that an op's `finish` reads. All elements are finite.
struct RegisterSum {
  Size n;
  bool some_not_negative_zero;
  SignedMagnitude sum;
  NanPolicy nan;
  Correction correction;

  ONEFOLD_FN constexpr Tally tally() const {
    return {.n = n, .all_negative_zero = n != 0 && !some_not_negative_zero};
  }
  ONEFOLD_FN constexpr SignedMagnitude limbs(Accumulator) const { return sum; }
};
// Returns the answer of the only op in `ops`; nothing if it needs more than a sum.
template <OpSet ops>
ONEFOLD_FN constexpr Real finish_tame(const RegisterSum& g) {
  Real r = Real::nan();
  each_op<ops>([&]<class Op>() {
    if constexpr (requires { Op::finish(g); }) r = Op::finish(g);
  });
  return r;
}

// Writes the answer of the only op in `ops` for a sum v * 2^unit, if the answer is a number of the
// type that the op has for T; the code rounds only to that type. Otherwise writes nothing. Called
// by a warp.
template <class T, OpSet ops, class M>
ONEFOLD_KERNEL bool put_tame(M m, const Place<M>& place, Int128 v, int unit, bool some, Size n,
                             const Results<M, ops>& results) {
  uint64_t bits = 0;
  if constexpr (!Floating<T>) {
    if constexpr (!is_plain<T, ops>()) return false;
    const bool is_signed = v >> 63 == v >> 127 && place.dtype == DType::i64,
               is_unsigned = v >> 64 == 0 && place.dtype == DType::u64;
    if (unit != 0 || (!is_signed && !is_unsigned)) return false;
    bits = static_cast<uint64_t>(v);
  } else {
    if (place.dtype != dtype_of<T>) return false;
    const auto finish = [&](bool zero, const SignedMagnitude& sum) {
      return finish_tame<ops>(RegisterSum{.n = n,
                                          .some_not_negative_zero = !zero || some,
                                          .sum = sum,
                                          .nan = results.nan,
                                          .correction = results.correction});
    };
    if (v == 0) {
      const Real r = finish(true, {});
      if (r.kind != Real::Kind::finite) return false;
      bits = static_cast<uint64_t>(r.negative) << (8 * sizeof(T) - 1);
    } else if constexpr (is_plain<T, ops>() && sizeof(T) >= 4) {
      if (!convert<T>(v, unit, bits)) return false;
    } else {
      const bool negative = v < 0;
      const Real r =
          finish(false, {Leading(static_cast<Uint128>(negative ? -v : v), unit), negative});
      if (r.kind != Real::Kind::finite) return false;
      bits = round_float<Taking<steps_of<T, ops>()>>(r, float_format(dtype_of<T>));
    }
  }
  if (m.lane() == 0) put_bits(m, place, Floating<T> ? sizeof(T) : 8, bits, Status::ok);
  return true;
}

}  // namespace onefold::kernel
