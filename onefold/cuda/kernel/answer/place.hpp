// Holds the addresses of answers, and writes an answer to them.
#pragma once

#include "onefold/core/correction.hpp"
#include "onefold/core/exact/real.hpp"
#include "onefold/core/op_facts.hpp"
#include "onefold/cuda/kernel/answer/op_set.hpp"
#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// Where one answer goes: the address for its value, which takes its type's bytes, and the address
// for its Status, which may be null.
template <class M>
struct Place {
  Out<M, uint8_t> value, status;
  DType dtype;
  bool has_status;
  bool empty_nan = false;  // without elements the answer is NaN instead of an error
};
ONEFOLD_KERNEL void change_empty(bool empty_nan, DType t, uint64_t& bits, Status& status) {
  if (!empty_nan || status != Status::empty_input) return;
  const FloatFormat f = float_format(t);
  bits = f.nan();
  status = Status::ok;
}

// Where a launch writes its results: the answers of `ops` in their order. If there are no ops, it
// writes the words of the state, which are not canonical.
template <class M, OpSet ops>
struct Results {
  static_assert(count_ops(ops) <= op_count);
  Out<M, int64_t> state;
  Correction correction;
  NanPolicy nan;
  Place<M> place[ops == 0 ? 1 : count_ops(ops)];
};

template <class M>
ONEFOLD_KERNEL void put_bits(M, const Place<M>& place, unsigned bytes, uint64_t bits,
                             Status status) {
  change_empty(place.empty_nan, place.dtype, bits, status);
  ONEFOLD_UNROLL
  for (unsigned k = 0; k < 8; ++k) {
    if (k < bytes) place.value[k] = static_cast<uint8_t>(bits >> 8 * k);
  }
  if (place.has_status) place.status[0] = static_cast<uint8_t>(status);
}
// Returns the place of an answer, given that of answer 0.
template <class M>
ONEFOLD_KERNEL Place<M> of_answer(Place<M> place, Size answer) {
  place.value = place.value + answer * bytes_of(place.dtype);
  if (place.has_status) place.status = place.status + answer;
  return place;
}
// Says in the answers of all ops that a window has too few elements.
template <OpSet ops, class M>
ONEFOLD_KERNEL_COLD void put_too_few(M m, const Results<M, ops>& results, Size answer) {
  ONEFOLD_NO_UNROLL
  for (int k = 0; k < count_ops(ops); ++k) {
    Place<M> place = of_answer(results.place[k], answer);
    place.empty_nan = is_floating(place.dtype);
    put_bits(m, place, static_cast<unsigned>(bytes_of(place.dtype)), 0,
             place.empty_nan ? Status::empty_input : Status::too_few);
  }
}
template <RoundingSteps steps, class M>
ONEFOLD_KERNEL void put(M m, Place<M> place, const Real& r) {
  const Rounded v = round<Taking<steps>>(r, place.dtype);
  put_bits(m, place, static_cast<unsigned>(bytes_of(place.dtype)), v.bits, v.status);
}
// Writes an answer. Called by one thread, which may write several.
template <RoundingSteps steps, class M>
ONEFOLD_KERNEL_COLD void put_cold(M m, Place<M> place, const Real& r) {
  put<steps>(m, place, r);
}

}  // namespace onefold::kernel
