// How a launch divides a loop nest among lanes and blocks.
#pragma once

#include "onefold/exact/quick_formula.hpp"
#include "onefold/kernel/answer/op_set.hpp"
#include "onefold/kernel/schedule/nest.hpp"

namespace onefold::kernel {

// The formulas by which quick numbers round each op of a launch. depth: the largest number of
// additions between an element and its total.
struct Formulas {
  double depth = 0;
  QuickFormula of[op_count];
  double inverse[op_count] = {};  // 1 / n, if a sum is only divided by n
  double scale[op_count] = {};    // types up to 32 bits: the factor of a sum or spread
  uint32_t reciprocal = 0;        // of n, for means of digits (DigitDivisor)
};

inline constexpr unsigned block_warps = 8;            // for rows, short rows, columns and segments
inline constexpr unsigned segment_tile_bytes = 4096;  // shared memory of one warp

struct Deal {
  Size first = 0, answers = 0;  // the answers of this launch, as the walk counts them
  uint32_t parts = 1;           // of each answer; of long rows 1, or a multiple of block_warps
  // Elements of a part; rows: runs, where an answer has several (parts of one run take turns);
  // rows of columns.
  Size part = 0;
  // rows: 2^lane_bits lanes hold an answer; a run has so many elements, so far apart. Segments:
  // several lanes add a piece of more than `length`
  uint32_t lane_bits = 0;
  Size length = 0;
  // Long rows: there is one answer, and word 0 of Scratch::undecided is set to whether it is
  // undecided; the kernel for whole arrays then computes it again (Stages::if_undecided).
  bool alone = false;
  uint32_t loads = 0;  // even rows: loads of 16 bytes in a row
  int64_t apart = 0;
  bool wide_mask = false;  // columns: bytes of the mask too, of as many elements as a load takes
  bool wide = false;  // all runs begin at a multiple of what a load takes; segments: are neighbours
  // Rows: of two arrays loads begin at the same elements; short rows: the second one begins at a
  // multiple of what a load takes.
  bool wide_second = false;
  // rows, single columns: tiles of a warp; segments: chunks; short rows: rows of a lane, and after
  // how many lanes those lie in the same banks.
  uint32_t batch = 1, turn = 32;
  Size rows = 0;  // runs of an answer; columns: its rows
  // columns: `team` threads share a tile; the fastest kept axis has `tiles` tiles. 2^copy_bits rows
  // are treated as one row, which is so much wider.
  uint32_t team = 0, lanes = 1;  // lanes: threads side by side in a team; segments: in a chunk
  Size tiles = 1, width = 0;     // segments: width is the number of answers of each
  uint32_t most_parts = 0;       // segments: how many parts can be noted in all
  uint32_t copy_bits = 0;
  Formulas formulas;
};

}  // namespace onefold::kernel
