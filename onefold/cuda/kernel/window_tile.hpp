// What a tile of windows has (windows.hpp).
#pragma once

#include "onefold/cuda/kernel/quick/needed_totals.hpp"

namespace onefold::kernel {

inline constexpr unsigned window_run = 8;  // elements of a thread

// Returns how many warps a block has: as many as 44 KiB of shared memory hold.
//   words  of a total, without its count
//   bytes  of an element
constexpr unsigned window_warps(unsigned words, unsigned bytes) {
  const unsigned of_window = 8 * words + 4, of_element = window_run * (of_window + bytes),
                 of_thread = of_element + bytes + 8 * (words + 1),
                 fit = ((44u << 10) - 128 * words) / (32 * of_thread);
  return fit < 1 ? 1 : fit > 8 ? 8 : fit;
}
template <class T>
constexpr unsigned window_warps(OpSet ops) {
  return window_warps(static_cast<unsigned>(total_words_of<T>(ops, true) - 1), sizeof(T));
}
// Whether tiles fold windows of these ops: those of one array without indices and counts of NaN.
template <class T>
constexpr bool tiles_hold(OpSet ops) {
  const NeededTotals a = needed_totals<T>(ops);
  return !a.pairs && !a.index && !a.nan && !a.infinite && !a.others &&
         total_words_of<T>(ops, true) >= 2 && total_words_of<T>(ops, true) <= 13;
}
// Whether answers stay the same if a number is subtracted from all elements, without an error.
template <class T>
constexpr bool may_shift(OpSet ops) {
  bool all = Floating<T> && sizeof(T) < 8;
#define ONEFOLD_ENTRY(name) \
  all = all && (!asks(ops, OpIndex::name##_) || statistic_of<op::name##_>() == Statistic::variance);
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return all;
}
// Whether windows are wide: those that begin in one tile have elements in common (windows.hpp).
constexpr bool are_wide(Size width, Size tile) { return width > tile / 2; }
// The elements of a tile.
template <class T>
constexpr Size window_tile(OpSet ops) {
  return Size{32} * window_warps<T>(ops) * window_run;
}

}  // namespace onefold::kernel
