// How a launch divides a loop nest among lanes and blocks.
#pragma once

#include "onefold/exact/quick_formula.hpp"
#include "onefold/kernel/answer/op_set.hpp"
#include "onefold/kernel/schedule/nest.hpp"

namespace onefold::kernel {

// The formula that quick numbers evaluate for each op of a launch that is rounded from a sum.
// depth: the largest number of additions between an element and its total.
struct Formulas {
  double depth = 0;
  QuickFormula of[op_count];
  double inverse[op_count] = {};  // of n, where nothing else is done to a sum
  double scale[op_count] = {};    // of types up to 32 bits: what a sum or spread is multiplied by
  uint32_t reciprocal = 0;        // of n, for means by digits (DigitDivisor)
};

inline constexpr unsigned block_warps = 8;            // of rows, short rows, columns and segments
inline constexpr unsigned segment_tile_bytes = 4096;  // of a warp, in shared memory

struct Deal {
  Size first = 0, answers = 0;  // the answers of this launch, as the walk counts them
  uint32_t parts = 1;           // of each answer; of long rows 1, or a multiple of block_warps
  Size part = 0;  // elements of a part; runs, where an answer has several; rows of columns
  // rows: 2^lane_bits lanes hold an answer; a run has so many elements, so far apart. Segments:
  // several lanes add a piece of more than `length`
  uint32_t lane_bits = 0, length = 0;
  uint32_t loads = 0;  // even rows: of 16 bytes, that a row has
  int64_t apart = 0;
  bool wide_mask = false;  // columns: bytes of the mask too, of as many elements as a load takes
  bool wide = false;  // all runs begin at a multiple of what a load takes; segments: are neighbours
  // Rows: of two arrays loads begin at the same elements; short rows: the second one begins at a
  // multiple of what a load takes.
  bool wide_second = false;
  // rows, single columns: tiles of a warp; segments: chunks; short rows: rows of a lane, and after
  // how many lanes those lie in the same banks.
  uint32_t batch = 1, turn = 32;
  Size rows = 0;  // of an answer: runs; of columns as many as lie below one another
  // columns: threads that share a tile; tiles of the fastest kept axis, which lies side by side
  // 2^copy_bits times: then it is as wide.
  uint32_t team = 0, lanes = 1;  // lanes: of those, side by side; segments: of a chunk
  Size tiles = 1, width = 0;     // segments: answers of each
  uint32_t most_parts = 0;       // segments: that can be noted, of all
  uint32_t copy_bits = 0;
  Formulas formulas;
};

}  // namespace onefold::kernel
