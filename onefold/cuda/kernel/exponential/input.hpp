// The argument of the launches of logsumexp and its kin:
// docs/decisions/0071-logsumexp-on-a-device.md.
#pragma once

#include "onefold/core/exponential/function.hpp"
#include "onefold/core/exponential/precise.hpp"
#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/schedule/nest.hpp"

namespace onefold::kernel {

// Long slices are cut into parts: one launch sums each, and the next one answers. If slices are
// whole, there is one launch.
enum class ExponentialStep : uint8_t { whole, sums, answers };

// Loads of 16 bytes that a thread of a block of held_threads may hold: of norms 32 elements, 16 of
// f64; of softmax 16 elements, of types of 16 bits 32.
template <class T>
inline constexpr unsigned held_of_norms = sizeof(T) == 2 ? 4 : 8;
inline constexpr unsigned held_exponentials = 4;
// What factors of elements are: `wide` ones may be read as whole vectors of T.
enum class FactorKind : uint8_t { none, narrow, wide, f32 };

inline constexpr unsigned exponential_threads = 512, held_threads = 256;
inline constexpr unsigned again_threads = 512, again_blocks = 128, state_threads = 256;
// Limbs of a block for fixed-point numbers; longer ones are computed by fewer threads.
inline constexpr int precise_lengths = 5, block_limbs = 1 << 14;
ONEFOLD_FN constexpr int limbs_of_thread(int fraction) {
  return PreciseRow<const uint64_t*>::limbs(fraction);
}
static_assert(16 * limbs_of_thread(fraction_of(precise_lengths - 1)) <= block_limbs);

template <class M, class T>
struct Exponential {
  NestInput<M, T> nest;  // slices are its answers; at most one axis is folded
  // Of the first slice; of each element, if the function has answers for elements, with the nest's
  // second strides. A status may be missing.
  Out<M, T> out;
  Out<M, uint8_t> status;
  bool has_status = false;
  RowFunction function = RowFunction::logsumexp;
  NanPolicy nan = NanPolicy::propagate;
  ExponentialStep step = ExponentialStep::whole;
  bool wide = false;           // elements, and their answers, are whole vectors of 16 bytes
  bool across = false;         // neighbouring threads have neighbouring slices, not elements
  unsigned team = 32;          // threads of a part: a power of 2
  Size parts = 1;              // of a slice
  Size part = 0;               // elements of a part
  Out<M, double> sums;         // of the parts: two words each, of norms four
  Out<M, uint64_t> limbs;      // block_limbs for each of again_blocks; or the words of states
  In<M, uint64_t> words = {};  // of states that are merged

  // Of rms_norm and layer_norm: the type of the factors is T or f32.
  In<M, T> weight = {}, bias = {};
  In<M, float> weight_f32 = {}, bias_f32 = {};
  FactorKind weights = FactorKind::none, biases = FactorKind::none;
  double eps = 0, inverse_n = 0, inverse_n_low = 0;  // 1 / length() as a pair

  ONEFOLD_KERNEL Size length() const { return nest.elements; }
  ONEFOLD_KERNEL int64_t stride() const { return nest.axis[nest.kept].stride[0]; }
  ONEFOLD_KERNEL int64_t out_stride() const { return nest.axis[nest.kept].stride[1]; }
  // Writes the answer of a slice.
  ONEFOLD_KERNEL void put(int64_t place, T v, Status s) const {
    out[place] = v;
    if (has_status) status[place] = static_cast<uint8_t>(s);
  }
  ONEFOLD_KERNEL bool is_mean() const { return function == RowFunction::logmeanexp; }
  ONEFOLD_KERNEL bool is_log() const { return function == RowFunction::log_softmax; }
  ONEFOLD_KERNEL bool is_centred() const { return function == RowFunction::layer_norm; }
};

// Notes a slice as undecided: a word each, since several blocks may do so.
template <class M>
ONEFOLD_KERNEL void note_slice(M m, const Scratch<M>& scratch, Size slice) {
  m.add(scratch.undecided, undecided_words + slice, 1u);
  m.add(scratch.undecided, Size{some_undecided}, 1u);
}

}  // namespace onefold::kernel
