// The arguments of a fold with weights: up to three arrays and a mask, read along a nest.
#pragma once

#include "onefold/core/dtype.hpp"
#include "onefold/cuda/kernel/segment_borders.hpp"

namespace onefold::kernel {

// An axis of the nest. Strides are in elements; those of integer weights and of the mask in bytes.
struct WeightedAxis {
  Size extent = 1;
  int64_t stride[4] = {};  // x, y, weights, mask
  int64_t step = 0;        // in answers, or in indices
};

//   T   the type of elements and weights; integer weights (`counts`) have the type count_type
template <class M, class T>
struct WeightedInput {
  In<M, T> x, y, w;
  In<M, uint8_t> counts;  // integer weights, instead of w: how often each element counts
  In<M, uint8_t> mask;
  DType count_type = DType::i64;
  bool masked = false, omit = false;
  // A block folds 2^answer_bits answers at once, all by the same number of lanes. `beside`:
  // neighbouring lanes have neighbouring answers, otherwise neighbouring elements of one answer.
  // Each answer is folded in `parts` parts, by different blocks.
  bool beside = false;
  // The elements of each answer are neighbours in memory from an address of whole loads of 16
  // bytes on; none is masked.
  bool wide = false;
  uint32_t answer_bits = 0, parts = 1;
  uint32_t batch = 1;  // a block rounds so many times 2^answer_bits answers at once
  Size answers = 0, elements = 0;
  // If `cut`, segment i has the elements between offsets i and i + 1 (i64, or i32 if narrow), and
  // `slices` answers. The second kernel folds answers of more than `longest` elements.
  bool cut = false, narrow = false;
  In<M, int64_t> offsets = {};
  Size slices = 1, longest = 0;
  Size index = 0;                 // the first element's index
  uint32_t kept = 0, folded = 0;  // numbers of axes: first kept, then folded ones; fastest first
  WeightedAxis axis[most_axes];
};
inline constexpr unsigned weighted_bits = 8, weighted_threads = 1u << weighted_bits;
// The most words that an answer's totals may have.
inline constexpr unsigned most_weighted_words = 64;

// How far an answer or element is from the first one.
struct WeightedSpot {
  int64_t x = 0, y = 0, w = 0, mask = 0, step = 0;
  ONEFOLD_KERNEL void move(const WeightedSpot& by) {
    x += by.x;
    y += by.y;
    w += by.w;
    mask += by.mask;
    step += by.step;
  }
};
template <class Input>
ONEFOLD_KERNEL WeightedSpot weighted_spot(const Input& in, unsigned begin, unsigned count, Size i) {
  WeightedSpot s;
  ONEFOLD_NO_UNROLL
  for (unsigned k = begin; k < begin + count; ++k) {
    const WeightedAxis& a = in.axis[k];
    Size at = i;
    if (k + 1 < begin + count) {
      const Size next = quotient_of(i, a.extent);
      at = i - next * a.extent;
      i = next;
    }
    const auto steps = static_cast<int64_t>(at);
    s.x += steps * a.stride[0];
    s.y += steps * a.stride[1];
    s.w += steps * a.stride[2];
    s.mask += steps * a.stride[3];
    s.step += steps * a.step;
  }
  return s;
}

// The elements of an answer: where the first one is, and how many there are.
struct WeightedElements {
  WeightedSpot from;
  Size n = 0;
  bool bad = false;  // the segment's offsets decrease or lie outside the array
};
template <class M, class T>
ONEFOLD_KERNEL WeightedElements elements_of(M m, const WeightedInput<M, T>& in, Size answer) {
  if (!in.cut) return {weighted_spot(in, 0, in.kept, answer), in.elements};
  const Size segment = quotient_of(answer, in.slices);
  WeightedElements e{weighted_spot(in, 0, in.kept, answer - segment * in.slices)};
  e.from.step += static_cast<int64_t>(segment * in.slices);
  const Size begin = offset_at(m, in.offsets, in.narrow, segment),
             end = offset_at(m, in.offsets, in.narrow, segment + 1);
  e.bad = begin > end || end > in.elements;
  if (e.bad) return e;
  e.n = end - begin;
  const WeightedSpot first = weighted_spot(in, in.kept, in.folded, begin);
  e.from.x += first.x;
  e.from.y += first.y;
  e.from.w += first.w;
  e.from.mask += first.mask;
  return e;
}

// The functions that other nests have in schedule/nest.hpp.
template <bool two, bool selects = false, class M, class T>
ONEFOLD_KERNEL WeightedSpot element_at(const WeightedInput<M, T>& in, Size i) {
  return weighted_spot(in, in.kept, in.folded, i);
}
template <class M, class T>
ONEFOLD_KERNEL bool is_there(const WeightedInput<M, T>& in, const WeightedSpot& answer,
                             const WeightedSpot& s) {
  if (!in.masked) return true;
  const uint8_t flag = in.mask[answer.mask + s.mask];
  return flag != 0;
}
// Returns the bytes of an element's integer weight, with zeros above them.
template <class M, class T>
ONEFOLD_KERNEL Size count_at(M m, const WeightedInput<M, T>& in, const WeightedSpot& answer,
                             const WeightedSpot& s) {
  const In<M, uint8_t> p = in.counts + (answer.w + s.w);
  const unsigned bytes = bytes_of(in.count_type);
  if (bytes == 8) return m.template as<uint64_t>(p)[0];
  if (bytes == 4) return uint32_t{m.template as<uint32_t>(p)[0]};
  if (bytes == 2) return uint16_t{m.template as<uint16_t>(p)[0]};
  return uint8_t{p[0]};
}
// Returns the integer weight that these bytes hold; a negative one becomes 2^63 or more.
ONEFOLD_KERNEL Size times_of(DType type, Size bytes) {
  const unsigned above = 64 - 8 * static_cast<unsigned>(bytes_of(type));
  const bool is_signed = kind_of(type) == Kind::signed_integer;
  return is_signed ? static_cast<Size>(static_cast<int64_t>(bytes << above) >> above) : bytes;
}
template <class M, class T>
ONEFOLD_KERNEL Size times_of(M m, const WeightedInput<M, T>& in, const WeightedSpot& answer,
                             const WeightedSpot& s) {
  return times_of(in.count_type, count_at(m, in, answer, s));
}

// Loads elements and their weights.
template <class T, bool two, bool repeated, class M>
struct WeightedReader {
  const WeightedInput<M, T>& in;
  const WeightedSpot& from;

  ONEFOLD_KERNEL T x_at(const WeightedSpot& s) const {
    const T v = in.x[from.x + s.x];
    return v;
  }
  ONEFOLD_KERNEL T y_at(const WeightedSpot& s) const {
    T v{};
    if constexpr (two) {
      const T one = in.y[from.y + s.y];
      v = one;
    }
    return v;
  }
  // Returns a weight as loaded. weight_of() converts it later, so further loads need not wait.
  ONEFOLD_KERNEL auto weight_at(M m, const WeightedSpot& s) const {
    if constexpr (repeated) {
      return count_at(m, in, from, s);
    } else {
      const T v = in.w[from.w + s.w];
      return v;
    }
  }
  template <class V>
  ONEFOLD_KERNEL V weight_of(V loaded) const {
    if constexpr (repeated) {
      return times_of(in.count_type, loaded);
    } else {
      return loaded;
    }
  }
};

}  // namespace onefold::kernel
