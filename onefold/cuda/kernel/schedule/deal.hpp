// How a launch divides a loop nest among lanes and blocks.
#pragma once

#include "onefold/core/exact/quick_formula.hpp"
#include "onefold/cuda/kernel/answer/op_set.hpp"
#include "onefold/cuda/kernel/schedule/nest.hpp"

namespace onefold::kernel {

// How quick numbers round each op of a launch. depth: the largest number of roundings on the way
// from an element to its total, from which the error bound follows.
struct Formulas {
  double depth = 0;
  QuickFormula of[op_count];
  double inverse[op_count] = {};  // 1 / n, if a sum is only divided by n
  double scale[op_count] = {};    // types up to 32 bits: the factor of a sum or spread
  Size made_for = ~Size{0};       // windows: the n for which formulas are made, if there is one
  uint32_t reciprocal = 0;        // of n, for means by digits (DigitDivisor)
};

inline constexpr unsigned block_warps = 8;            // for rows, short rows, columns and segments
inline constexpr unsigned segment_tile_bytes = 4096;  // shared memory of one warp

struct Deal {
  Size first = 0, answers = 0;  // numbers of the launch's answers, in the walk's order
  uint32_t parts = 1;  // parts of each answer; for long rows 1, or a multiple of block_warps
  // Size of a part: in elements; for rows with several runs in runs (the parts of a row with one
  // run take turns along it); for columns in rows.
  Size part = 0;
  // Rows: 2^lane_bits lanes share a row, whose runs have `length` elements, `apart` from one to the
  // next. Segments: several lanes share a piece of more than `length` elements.
  uint32_t lane_bits = 0;
  Size length = 0;
  // Long rows: there is one answer, and word 0 of Scratch::undecided is set to whether it is
  // undecided; the kernel for whole arrays then computes it again (Stages::if_undecided).
  bool alone = false;
  // The launch returns at once unless the walk before it left all answers undecided.
  bool if_all_undecided = false;
  uint32_t loads = 0;  // even rows: loads of 16 bytes in a row
  int64_t apart = 0;
  bool wide_mask = false;  // columns: one load has the mask's bytes of all columns of a thread
  // All runs begin at a multiple of a load's size; for segments: elements are contiguous.
  bool wide = false;
  // Rows: loads of the two arrays begin at the same elements. Short rows: the second array begins
  // at a multiple of a load's size.
  bool wide_second = false;
  // batch: how many tiles a warp (rows) or a team (single columns) folds one after another; for
  // segments, chunks of a warp; for short rows, rows of a lane. turn, for short rows: the number of
  // lanes after which rows begin in the same bank again.
  uint32_t batch = 1, turn = 32;
  // Runs of an answer; for columns: rows of an answer; for segments: elements from the first to the
  // last one in memory.
  Size rows = 0;
  // Windows: a line has `tiles` tiles with `length` windows each.
  // Columns: `team` threads share a tile; the fastest kept axis has `tiles` tiles, each answer row
  // `width` columns. 2^copy_bits rows are treated as one row, which is as many times wider.
  // columns: neighbouring threads of a team, which read one row; segments: segments of a chunk.
  uint32_t team = 0, lanes = 1;
  Size tiles = 1, width = 0;  // segments: width is the number of answers of each
  uint32_t most_parts = 0;    // segments: the largest number of parts that the list holds
  uint32_t copy_bits = 0;
  Formulas formulas;
};

}  // namespace onefold::kernel
