// Finds the plans that are products of matrices: `dot` of two arrays, some of whose axes are
// repeated. Backends fold these by another walk.
#pragma once

#include <optional>
#include <vector>

#include "onefold/engine/plan/plan.hpp"

namespace onefold {

// The loops of a product. Strides are in bytes, steps in answers, as those of Nest are.
struct MatrixProduct {
  Axis row, column;                   // only x moves along rows; only y moves along columns
  Axis inner;                         // folded
  std::vector<Axis> batch_axes = {};  // all others, in any order
  // From an answer to that of the next row, column or batch, in the order of the nest's loops.
  Size row_place = 0, column_place = 0;
  std::vector<Size> batch_place = {};

  Size batches() const;
  // Where a product of the batch lies, from the first one: in x and y in bytes, in answers, and in
  // the order of the nest's loops.
  struct Place {
    int64_t x = 0, y = 0, answer = 0;
    Size place = 0;
  };
  Place batch(Size i) const;
};

// Returns the loops, or nothing: other ops, masks, weights, more axes.
// It is up to backends whether a product is large enough.
//   repeats  whether one matrix may be multiplied by several: of the axes along which only x, or
//            only y moves, the longest is the row or column, and others belong to the batch
std::optional<MatrixProduct> matrix_product_of(const Plan& plan, bool repeats = false);

// Device memory that its owner lends to the products of a thread.
struct LentMemory {
  int device = 0;
  uint64_t address = 0;
  Size bytes = 0;
};
LentMemory& lent_memory();  // of this thread; no bytes: none is lent

}  // namespace onefold
