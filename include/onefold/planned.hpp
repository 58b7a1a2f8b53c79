// Folds in two steps: first the shapes and types of the answers, then the answers.
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// A fold that is checked but not yet run. It tells the shapes and types of its answers, so that the
// caller can allocate them. The arrays, also those of the options, must live as long as it does.
class PlannedFold {
 public:
  //   y       null: ops of one array
  //   throws  as fold does before any work
  PlannedFold(std::string_view ops, const ArrayRef& x, const ArrayRef* y, const Options& options);

  struct Op {
    const char* name;
    DType dtype;          // of its answers
    bool may_fail;        // the data may give one a status instead of a value
    bool nan_when_empty;  // a floating-point answer, so NaN may stand for one to nothing
  };
  const Dims& shape() const;  // of each op's answers
  std::span<const Op> ops() const;
  // Folds and writes the answers, as fold_into does.
  void into(std::span<const OutputRef> outs) const;
  // The same of other arrays with the types, shapes, strides and devices of the planned ones.
  //   x, y    where they begin, as data of an ArrayRef; y null: ops of one array
  //   throws  bad_option, too: x or y is aligned otherwise than the planned one
  void into(std::span<const OutputRef> outs, const void* x, const void* y = nullptr) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace onefold
