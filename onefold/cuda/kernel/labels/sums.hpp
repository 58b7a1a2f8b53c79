// Sums, sums of squares (of elements of up to 32 bits) and counts of groups, without sorting: the
// memory through which the steps pass on their results. labels/elements.hpp reads elements,
// labels/gather.hpp adds them.
//
//   steps    begin, gather, number, rest, answer: one launch each, of any grid
//   tables   in a block's shared memory: the low and the high half of each sum, with two 32-bit
//            atomics for each element, three words of each sum of squares, with three; 1 to 32
//            copies, so that lanes of one warp seldom add to the same word. Sums of elements of 64
//            bits have three or four words there
//   memory   for more groups: a word for each sum in global memory, with one 64-bit atomic for each
//            element, of 64 bits two. If many elements of a warp have one label, its lanes add them
//            first. Squares are not added there
//   exact    integers (units.hpp), so the order of additions does not matter. Elements that fit no
//            window are listed, and added to limbs (rest.hpp)
//   refused  if many elements of the sample or of the list fit no window: `windows` is 0, or `left`
//            is above `most_left`, and no answer is written; also if a label is bad. The last step
//            writes which of these it was (SumsOutcome)
#pragma once

#include "onefold/cuda/kernel/labels/label_array.hpp"
#include "onefold/cuda/kernel/labels/table.hpp"
#include "onefold/cuda/kernel/state.hpp"

namespace onefold::kernel {

enum class SumStep : uint8_t { begin, gather, number, rest, answer };

inline constexpr unsigned label_sum_warps = 16;  // of a block
// Shared memory for a block's tables: two blocks fit a multiprocessor of 227 KiB.
inline constexpr unsigned label_table_bytes = 96 << 10;

template <class M, class T>
struct LabelSums {
  // The first words: threads that found a bad label; elements that fit no window; groups with such
  // elements; threads that found a -0; whether a sum is 0; the number of windows and their
  // position. Then the SumsOutcome.
  enum : int { bad, left, rows, negative_zeros, zero_sums, windows, base, told_words };
  enum : int { verdict = told_words, head_words };

  In<M, T> x;
  LabelArray<M> labels;
  Out<M, int64_t> words;
  Out<M, int64_t> told;  // a copy of the first words without the SumsOutcome, for the host
  Size n = 0, groups = 0;
  int64_t apart = 1;   // elements from one to the next (stride)
  bool wide = false;   // vector loads: four elements, and four labels, at once
  bool tables = true;  // tables are in shared memory; else in global memory
  bool counts = false;
  bool squares = false;            // squares are needed; then there is one window
  bool longs = false;              // elements have 64 bits
  bool omit = false;               // NaN are skipped
  uint32_t table_words = 0;        // size of a block's tables, in words of 32 bits
  uint32_t narrow = 1, broad = 1;  // number of windows: at the first try, at the second
  int span = 0;
  Size most_left = 0, most_rows = 0;
  uint32_t row_words = 0;
  SumStep step = SumStep::begin;

  // Layout after the head: for each group its mark, its count, its sums window by window, its
  // squares word by word; then rows of limbs, and the list.
  ONEFOLD_FN Size marks() const { return head_words; }
  ONEFOLD_FN Size counted() const { return marks() + groups; }
  ONEFOLD_FN Size sums() const { return counted() + (counts ? groups : 0); }
  // Words of a group's sum. Those of 64-bit elements are digits of one integer, of which the
  // highest has the sign: 32 bits of each word of a table, in memory 64.
  ONEFOLD_FN uint32_t planes() const {
    if (longs) return tables ? long_words(broad) : 2;
    return tables ? 2 * broad : broad;
  }
  ONEFOLD_FN Size squared() const { return sums() + planes() * groups; }
  ONEFOLD_FN Size rows_at() const { return squared() + (squares ? square_words * groups : 0); }
  ONEFOLD_FN Size list() const { return rows_at() + most_rows * row_words; }
  ONEFOLD_FN Size entry_words() const { return longs ? 2 : 1; }  // of the list
  ONEFOLD_FN Size all_words() const { return list() + entry_words() * most_left; }
};

}  // namespace onefold::kernel
