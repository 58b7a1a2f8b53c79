// What the arithmetic relies on, whatever the caller has set: rounding to nearest, subnormals kept,
// no traps. The caller's mode comes back at the end; where it is this one nothing is done, which
// takes a quarter of the time, and its sticky flags show what was inexact.
#pragma once

#include <xmmintrin.h>

namespace onefold {

class FloatingPointMode {
 public:
  FloatingPointMode() : saved_(_mm_getcsr()) {
    if ((saved_ & ~flags) != ours) _mm_setcsr(ours);
  }
  ~FloatingPointMode() {
    if ((saved_ & ~flags) != ours) _mm_setcsr(saved_);
  }
  FloatingPointMode(const FloatingPointMode&) = delete;
  FloatingPointMode& operator=(const FloatingPointMode&) = delete;

 private:
  static constexpr unsigned ours = 0x1f80, flags = 0x3f;
  unsigned saved_;
};

}  // namespace onefold
