// The argument of the launches of weighted quantiles: docs/decisions/0075-quantiles.md.
#pragma once

#include "onefold/cuda/kernel/quantile/input.hpp"
#include "onefold/cuda/kernel/quantile/weight_bits.hpp"

namespace onefold::kernel {

// What a launch of long slices does: clears, finds units, or counts a digit.
enum class WeightStep : uint8_t { clear, survey, count };

template <class M, class T>
struct WeightedQuantiles {
  using K = typename OrderedBits<T>::Key;
  WeightedInput<M, T> in;  // weights of any type are its `counts`
  Out<M, T> out[most_levels];
  Out<M, uint8_t> status[most_levels];
  bool has_status[most_levels] = {};
  NanPolicy nan = NanPolicy::propagate;
  bool repeated = false;  // weights are numbers of elements
  unsigned levels = 1;
  QuantileLevel level[most_levels];
  unsigned together = 1;  // short slices of a block: 1, or one for each warp

  // Of long slices.
  Size first = 0;      // slice of the launch
  uint32_t parts = 1;  // of a slice
  WeightStep step = WeightStep::clear;
  bool begins = false;       // the first digit of a key
  unsigned l = 0, side = 0;  // the level; 1: the key above that of the level
  Out<M, uint64_t> spans;    // one of each slice
  Out<M, uint32_t> words;    // weight_words of each slice
  Out<M, uint32_t> bins;     // weight_bins of each slice
  Out<M, uint32_t> tickets;  // one of each slice

  ONEFOLD_KERNEL void put(unsigned l, int64_t at, T v, Status s) const {
    out[l][at] = v;
    if (has_status[l]) status[l][at] = static_cast<uint8_t>(s);
  }
  // Writes the value between two keys.
  //   next   the level is halfway between them, unless weights are numbers of elements
  //   total  of these
  ONEFOLD_KERNEL void put_between(unsigned l, int64_t at, K low, K high, bool next,
                                  uint64_t total) const {
    QuantilePlace place{0, next ? 1u : 0u, 2};
    if (repeated) place = place_of(level[l], total);
    put(l, at, quantile_of_keys<T>(low, high, place), Status::ok);
  }
};

}  // namespace onefold::kernel
