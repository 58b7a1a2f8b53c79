// The least and greatest elements of windows, and where they first stand.
#pragma once

#include <memory>

#include "onefold/cpu/window/line.hpp"
#include "onefold/engine/backend/backend.hpp"

namespace onefold::cpu_backend {

class WindowEnd {
 public:
  virtual ~WindowEnd() = default;
  // Null if the op is none of min, max, argmin, argmax, in the elements' type.
  static std::unique_ptr<WindowEnd> of(const backend::Job& job, std::size_t op);

  virtual void open(const Line& line) = 0;
  // Answers windows first .. last - 1; the first one's answer is number `at`. undecided[i] becomes
  // 1 for windows that have no such element.
  virtual void fold(Size first, Size last, Size at, uint8_t* undecided) = 0;
};

}  // namespace onefold::cpu_backend
