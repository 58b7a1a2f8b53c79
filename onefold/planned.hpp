// Folds in two steps: the first gives the shapes and types of the answers, the second the answers.
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// A fold that is checked but not yet run. It gives the shapes and types of its answers, so that the
// caller can allocate them. The arrays, and those of the options, must outlive it.
class PlannedFold {
 public:
  //   y       null for ops of one array
  //   throws  as fold does before any work
  PlannedFold(std::string_view ops, const ArrayRef& x, const ArrayRef* y, const Options& options);

  struct Op {
    const char* name;
    DType dtype;          // the type of its answers
    bool may_fail;        // for some data an answer has a status instead of a value
    bool nan_when_empty;  // an answer without elements is NaN (only if floats are the result)
  };
  const Dims& shape() const;  // the shape of each op's answers
  std::span<const Op> ops() const;
  // Folds and writes the answers, as fold_into does.
  void into(std::span<const OutputRef> outs) const;
  // Does the same for other arrays with the types, shapes, strides and devices of the planned ones.
  //   x, y    the addresses of their first elements, as ArrayRef::data; y null: ops of one array
  //   throws  bad_option, too: x or y has another alignment than the planned array
  void into(std::span<const OutputRef> outs, const void* x, const void* y = nullptr) const;
  // Does the same with other arrays of the options, too: ArrayRef::data of .where, and of .weights
  // or .fweights; null: the planned ones. (Weights that `average` has take the place of y.)
  struct Arrays {
    const void *x, *y = nullptr, *mask = nullptr, *weights = nullptr;
  };
  void into(std::span<const OutputRef> outs, const Arrays& arrays) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace onefold
