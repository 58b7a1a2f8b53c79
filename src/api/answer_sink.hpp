// Takes the answers of one op as soon as they are rounded, when there are too many for memory.
#pragma once

#include <span>

#include "onefold/fold.hpp"

namespace onefold {

class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  // Comes first.
  //   rank  that the answer's shape will have, or more
  virtual void begin(DType dtype, int rank) = 0;
  // Answers that stand side by side, `first` and those after it in C order; each comes once, but
  // for those after one that has no value. From several threads, in any order.
  virtual void write(Size first, std::span<const std::byte> values,
                     std::span<const Status> statuses) = 0;
};

}  // namespace onefold
