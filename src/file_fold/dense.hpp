// Folds dense arrays in files, piece by piece.
//
// Answers are computed in blocks whose states fit the limit. A block is a box over the kept axes,
// in the order of the file. For each block every file has a loop nest, which is read once from
// front to back. So folds of rows read whole rows at a time. Folds of a leading axis do so too, as
// long as the states of all columns fit; otherwise they read strips of columns, each byte still
// once.
#pragma once

#include <memory>
#include <vector>

#include "file_fold/met_ranks.hpp"
#include "io/limits.hpp"
#include "io/progress.hpp"
#include "io/source.hpp"

namespace onefold::io {

// The arrays that fold as one along the first axis, and which axes are folded.
struct DenseInput {
  std::vector<Source> x;
  std::vector<Source> y;  // dot: the second array, of one file as the first
  std::vector<bool> folded;
  Dims mask;  // the strides of the plan's mask along the axes; none: all elements are taken
  Size mask_first = 0;     // position of the first element's mask, in units
  Peers* peers = nullptr;  // which fold it together; null: nobody else does
};

// The plan of the reads, for `explain` and for the fold itself.
struct DensePlan {
  bool small = false;    // one window holds blocks of whole answers: blocks go in parallel
  bool grouped = false;  // small, and few states of a block need to be open
  Size together = 1;     // answers whose elements lie between each other's
  Size block = 1;        // answers that are folded by one walk through the files
  Size strips = 1;       // blocks that read the same rows
  Dims boxes = {};       // for a container: blocks begin and end at multiples of these extents
  friend bool operator==(const DensePlan&, const DensePlan&) = default;
};
//   throws  needs_seek: a stream whose states do not fit
DensePlan plan_dense(const Plan& plan, const DenseInput& input, std::size_t file,
                     const Limits& limits);

// Each rank folds some blocks; where these are few and large, each takes a share of the elements of
// every block, and states are merged.
//   output  has room for all answers; of streams for none, and grows with what has been read
//   answered  gets the answers that this rank has in the output
//   throws  needs_seek, read_failed, truncated
void fold_dense(const Plan& plan, const DenseInput& input, const Limits& limits, Output& output,
                Meter& meter, std::vector<AnswerRun>* answered = nullptr);

// The axes of an array, slowest first.
std::vector<int> memory_order(const DenseArray& array);
// Bytes between neighbours in the file, along each axis.
Dims strides_of(const DenseArray& array);

// File f, or what is beside it, is read by boxes.
bool is_boxed(const DenseInput& input, std::size_t f);

bool any_stream(const DenseInput& input);

// May windows be mapped? Otherwise files are read.
bool maps_windows(int threads, const Limits& limits);

}  // namespace onefold::io
