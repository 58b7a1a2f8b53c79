// Boxes of answers, and the part of each file that belongs to a box.
#pragma once

#include "file_fold/dense.hpp"

namespace onefold::io {

// A box over the kept axes; the folded ones have count 1 here.
struct Block {
  Dims begin, count;
  Size answers() const;
};

// Which axes are folded, and where the answers and elements of the whole array stand.
class Places {
 public:
  explicit Places(const DenseInput& input);
  bool folded(int d) const { return folded_[static_cast<std::size_t>(d)]; }
  // Answers between neighbours along a kept axis, elements of an answer along a folded one.
  int64_t step(int d) const { return step_[d]; }
  // Units of the mask between neighbours, and where that of a row of the first axis begins.
  int64_t mask_step(int d) const { return mask_.rank() == 0 ? 0 : mask_[d]; }
  int64_t mask_of_row(Size row) const {
    return mask_first_ + static_cast<int64_t>(row) * (folded_.empty() ? 0 : mask_step(0));
  }
  // The answer of a block's slot.
  Size answer_of(const Block& block, Size slot) const;

 private:
  const std::vector<bool>& folded_;
  Dims step_, mask_;
  int64_t mask_first_;
};

// The answers of an array in blocks of at most `most`, in the order of its file.
class Blocks {
 public:
  //   boxes  where a block holds several of these extents, it holds whole ones; none: no matter
  Blocks(const DenseArray& array, const Places& places, Size most, const Dims& boxes = {});
  Size count() const { return count_; }
  Block operator[](Size b) const;

 private:
  std::vector<int> axes_;    // kept ones, slowest first
  std::vector<Size> steps_;  // blocks along each
  Dims whole_, most_;        // extents of all, and of a block
  Size count_ = 1;
};

// How the elements of a file belong to a block's answers. In the answer `row` rows of other files
// come before its own rows, in the whole array `all_rows`.
struct Belonging {
  const Block& block;
  const Places& places;
  Size row, all_rows;
  bool indexed;  // answers say where an element stands
};

// A file's part of a block, its axes in the order of `order`.
Nest nest_of(const DenseArray& array, const DenseArray& order, const Belonging& to);

// `count` elements of a file from `begin` on along each axis, in C order: side by side in memory of
// their own; or where they stand in a plain file, to be read.
Nest packed_box(const Dims& begin, const Dims& count, DType dtype, const Belonging& to);
Nest box_in_file(const DenseArray& array, const Dims& begin, const Dims& count);

}  // namespace onefold::io
