// Folds dense arrays in files, piece by piece.
//
// Answers are computed in blocks whose states fit the limit. A block is a box over the kept
// axes, in the order of the file. For each block, every file is read once from front to back. So
// folds of rows read whole rows at a time. Folds of a leading axis do so too, as long as the
// states of all columns fit. Otherwise they read strips of columns; each byte is still read only
// once.
#pragma once

#include <memory>
#include <vector>

#include "onefold/io/limits.hpp"
#include "onefold/io/progress.hpp"
#include "onefold/io/source.hpp"
#include "onefold/tables/met_ranks.hpp"

namespace onefold::io {

// Arrays that are folded like one array joined along the first axis, and the folded axes.
struct DenseInput {
  std::vector<Source> x;
  std::vector<Source> y;  // dot: the second array; then x and y have one file each
  std::vector<bool> folded;
  Dims mask;               // the mask's stride along each axis; none: all elements are taken
  Size mask_first = 0;     // position of the first element's mask, in units
  Peers* peers = nullptr;  // the ranks that share the fold; null: this process is alone
};

// The plan of the reads, for `explain` and for the fold itself.
struct DensePlan {
  bool small = false;    // a window holds whole answers of several blocks, which go in parallel
  bool grouped = false;  // small, and few states of a block are needed at once
  Size together = 1;     // number of answers whose elements alternate in the file
  Size block = 1;        // answers that one walk through the files computes
  Size strips = 1;       // number of blocks that read the same rows
  Dims boxes = {};       // of a container: blocks begin and end at multiples of these extents
  friend bool operator==(const DensePlan&, const DensePlan&) = default;
};
//   throws  needs_seek: a stream whose states do not fit
DensePlan plan_dense(const Plan& plan, const DenseInput& input, std::size_t file,
                     const Limits& limits);

// Each rank folds some of the blocks. If there are few large blocks, each folds a share of every
// block's elements, and the states are merged.
//   output  has room for all answers; for streams it starts empty and grows
//   answered  gets the runs of answers that this rank wrote to the output
//   throws  needs_seek, read_failed, truncated
void fold_dense(const Plan& plan, const DenseInput& input, const Limits& limits, Output& output,
                Meter& meter, std::vector<AnswerRun>* answered = nullptr);

// The axes of an array, slowest first. That of the parts of complex numbers is the fastest.
std::vector<int> memory_order(const DenseArray& array);
// The distance in bytes between neighbours in the file, along each axis.
Dims strides_of(const DenseArray& array);

// Whether file f, or the second array's file that is read with it, is read in boxes.
bool is_boxed(const DenseInput& input, std::size_t f);

bool any_stream(const DenseInput& input);

// Whether windows of files are mapped. If not, files are read into buffers.
bool maps_windows(int threads, const Limits& limits);

}  // namespace onefold::io
