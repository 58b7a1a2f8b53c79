// Takes the answers of one op as soon as they are rounded, when there are too many for memory.
#pragma once

#include <span>

#include "onefold/fold.hpp"

namespace onefold {

class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  // Called before any answer is written.
  //   rank  the rank of the answer's shape, or more
  virtual void begin(DType dtype, int rank) = 0;
  // Writes answers that are neighbours in C order, from number `first` on. Each comes once; those
  // after an answer without a value may be missing. Called by several threads, in any order.
  virtual void write(Size first, std::span<const std::byte> values,
                     std::span<const Status> statuses) = 0;
  // Whether answers reach the file; else they are held until they are sent to another process.
  virtual bool writes() const { return true; }
};

}  // namespace onefold
