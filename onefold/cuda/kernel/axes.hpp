// Folds a loop nest along some of its axes, into rounded answers or into words of states.
//
//   walk     the kind of kernel, which decides which threads fold an answer:
//            docs/decisions/0010-axes-on-a-device.md
//   grid     any number of blocks
//   results  `place[k]` gets the answers of op k, in C order. Or the kernel writes states, in the
//            walk's order of answers; their limbs are not carried
#pragma once

#include "onefold/cuda/kernel/blocks.hpp"
#include "onefold/cuda/kernel/columns.hpp"
#include "onefold/cuda/kernel/long_segments.hpp"
#include "onefold/cuda/kernel/rows.hpp"
#include "onefold/cuda/kernel/short_rows.hpp"
#include "onefold/cuda/kernel/undecided.hpp"
#include "onefold/cuda/kernel/windows.hpp"

namespace onefold::kernel {

//   selects  the kernel reads a mask, omits NaN, or adds one extra element to each answer
//            (ElementSelection); for segments, also if the array has other axes
template <class T, uint32_t set, OpSet ops, Walk walk, bool selects = false, class M>
ONEFOLD_KERNEL void axes(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                         const Results<M, ops>& results, const Deal& deal) {
  if constexpr (walk != Walk::undecided && walk != Walk::undecided_segments) {
    if (deal.if_all_undecided && load_relaxed<uint32_t>(m, scratch.undecided, all_undecided) == 0) {
      return;
    }
  }
  if constexpr (is_rows(walk)) {
    constexpr int bits = static_cast<int>(walk) - static_cast<int>(Walk::even_rows);
    fold_rows<T, ops, selects, bits>(m, input, scratch, results, deal);
  } else if constexpr (walk == Walk::short_rows) {
    static_assert(!selects);
    fold_short_rows<T, ops>(m, input, scratch, results, deal);
  } else if constexpr (is_columns(walk)) {
    fold_columns<T, ops, selects, walk>(m, input, scratch, results, deal);
  } else if constexpr (walk == Walk::undecided) {
    fold_undecided<T, set, ops, selects>(m, input, scratch, results, deal);
  } else if constexpr (walk == Walk::segments) {
    fold_segments<T, set, ops, selects>(m, input, scratch, results, deal);
  } else if constexpr (walk == Walk::long_segments) {
    fold_long_segments<T, set, ops, selects>(m, input, scratch, results, deal);
  } else if constexpr (walk == Walk::segment_words) {
    fold_segment_words<T, set, ops, selects>(m, input, scratch, results, deal);
  } else if constexpr (walk == Walk::undecided_segments) {
    fold_undecided_segments<T, set, ops, selects>(m, input, scratch, results, deal);
  } else if constexpr (walk == Walk::windows) {
    fold_windows<T, ops>(m, input, scratch, results, deal);
  } else {
    fold_nest<T, set, ops, selects>(m, input, scratch, results, deal);
  }
}

}  // namespace onefold::kernel
