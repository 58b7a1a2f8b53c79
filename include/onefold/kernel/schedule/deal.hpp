// How a launch deals out a nest.
#pragma once

#include "onefold/exact/quick_formula.hpp"
#include "onefold/kernel/answer/ops.hpp"
#include "onefold/kernel/schedule/nest.hpp"

namespace onefold::kernel {

// What quick numbers do for each op of a launch, where it is rounded from a sum; depth: the longest
// way of an element into a total, in additions.
struct Formulas {
  double depth = 0;
  QuickFormula of[op_count];
};

struct Deal {
  Size first = 0, answers = 0;  // the answers of this launch, as the walk counts them
  uint32_t parts = 1;           // of each answer
  Size part = 0;  // elements of a part; runs, where an answer has several; rows of columns
  // rows: that hold an answer; columns: side by side. Of rows a warp takes `batch` answers.
  uint32_t lanes = 1, batch = 32;
  bool wide = false;  // loads are of 16 bytes
  // columns: the fastest kept axis, as often as it lies side by side.
  Size width = 0;
  uint32_t copies = 1;
  Formulas formulas;
};

}  // namespace onefold::kernel
