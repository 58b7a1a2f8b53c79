// The resources of a thread that folds panels: memory for totals, and a floating-point mode.
#pragma once

#include <memory>
#include <new>

#include "backend/cpu/panel.hpp"
#include "made_once.hpp"
#include "plan/mode.hpp"

namespace onefold::cpu_backend {

// Memory for the totals of some answers; on the heap if there are many.
class Room {
 public:
  explicit Room(Size answers) {
    const Size n = (answers + 7) / 8 * 8;
    if (n > few) memory_.reset(new (std::align_val_t{64}) double[n * Totals::word_count]);
    double* p = n > few ? memory_.get() : own_;
    for (double*& w : totals.word) {
      w = p;
      p += n;
    }
  }
  Totals totals;
  static constexpr Size few = 256;

 private:
  struct Free {
    void operator()(double* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<double, Free> memory_;
  alignas(64) double own_[few * Totals::word_count];
};

// Sets rounding to nearest without traps; the destructor restores the caller's sticky flags.
class Mode {
 public:
  ~Mode() { floating_point::set_flags(floating_point::flags() | flags_); }

 private:
  FloatingPointMode mode_;
  unsigned flags_ = floating_point::flags();
};

// Returns whether the processor's inexact flag works. An emulator such as Valgrind may not set it;
// then totals cannot be trusted.
inline bool says_inexact() {
  const Mode mode;
  floating_point::set_flags(0);
  const volatile double one = 1, three = 3;
  const volatile double third = one / three;
  static_cast<void>(third);
  return (floating_point::flags() & floating_point::inexact) != 0;
}
inline bool totals_are_trusted() {
  static constinit MadeOnce<bool> known;
  return known.get(says_inexact);
}

}  // namespace onefold::cpu_backend
