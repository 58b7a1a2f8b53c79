// Boxes of answers, and the part of each file that belongs to a box.
#pragma once

#include "onefold/tables/dense.hpp"

namespace onefold::io {

// A box over the kept axes. The count along each folded axis is 1.
struct Block {
  Dims begin, count;
  Size answers() const;
};

// The folded axes, and the distances between answers and between elements of the whole array.
class AnswerLayout {
 public:
  explicit AnswerLayout(const DenseInput& input);
  bool folded(int d) const { return folded_[static_cast<std::size_t>(d)]; }
  // Along a kept axis: the distance in answers. Along a folded axis: in elements of an answer.
  int64_t step(int d) const { return step_[d]; }
  // The mask's distance between neighbours, and the place where the mask of a row begins.
  int64_t mask_step(int d) const { return mask_.rank() == 0 ? 0 : mask_[d]; }
  int64_t mask_of_row(Size row) const {
    return mask_first_ + static_cast<int64_t>(row) * (folded_.empty() ? 0 : mask_step(0));
  }
  // The number of the answer that is in a block's slot.
  Size answer_of(const Block& block, Size slot) const;

 private:
  const std::vector<bool>& folded_;
  Dims step_, mask_;
  int64_t mask_first_;
};

// Divides an array's answers into blocks of at most `most`, in the order of its file.
class Blocks {
 public:
  //   boxes  extents; a block of several boxes has only whole boxes; none: no restriction
  Blocks(const DenseArray& array, const AnswerLayout& places, Size most, const Dims& boxes = {});
  Size count() const { return count_; }
  Block operator[](Size b) const;

 private:
  std::vector<int> axes_;    // the kept axes, slowest first
  std::vector<Size> steps_;  // number of blocks along each axis
  Dims whole_, most_;        // extents of the array, and of a block
  Size count_ = 1;
};

// Which elements of a file belong to a block's answers. Rows of other files come before: `row` rows
// of the same answers, `all_rows` rows of the whole array.
struct BlockInFile {
  const Block& block;
  const AnswerLayout& places;
  Size row, all_rows;
  bool indexed;  // whether answers give the position of an element
};

// Returns the part of a file that belongs to a block, as a loop nest with the axes in the order of
// `order`.
Nest nest_of(const DenseArray& array, const DenseArray& order, const BlockInFile& to);

// `count` elements along each axis of a file, from `begin` on, in C order. In packed_box they are
// contiguous in memory; in box_in_file they are where a plain file has them.
Nest packed_box(const Dims& begin, const Dims& count, DType dtype, const BlockInFile& to);
Nest box_in_file(const DenseArray& array, const Dims& begin, const Dims& count);

}  // namespace onefold::io
