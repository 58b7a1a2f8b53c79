// The resources of a thread that folds panels: memory for totals, and a floating-point mode.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "onefold/cpu/panel.hpp"
#include "onefold/system/floating_point.hpp"
#include "onefold/system/made_once.hpp"

namespace onefold::cpu_backend {

struct Free {
  void operator()(double* p) const { ::operator delete[](p, std::align_val_t{64}); }
};

// Memory for so many f64; the thread keeps the last one, since new memory has new pages.
class KeptMemory {
 public:
  explicit KeptMemory(Size doubles) {
    if (doubles == 0) return;
    memory_ = std::move(kept);
    size_ = std::exchange(kept_size, 0);
    // A thread that ends destroys `kept`, and other destructors may fold after it.
    if (memory_ != nullptr && size_ >= doubles) return;
    memory_.reset(new (std::align_val_t{64}) double[doubles]);
    size_ = doubles;
  }
  ~KeptMemory() {
    if (size_ > most_kept || size_ <= kept_size) return;
    kept = std::move(memory_);
    kept_size = size_;
  }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;
  double* get() const { return memory_.get(); }

 private:
  // 32 MB, of which most stays untouched: 16 parts of 3,000 answers have 10 MB, and a sum of f32
  // writes .4 MB of these. New pages for them would take as long as to read 12 MB by 16 threads.
  static constexpr Size most_kept = Size{1} << 22;
  static inline thread_local std::unique_ptr<double, Free> kept;
  static inline thread_local Size kept_size = 0;
  std::unique_ptr<double, Free> memory_;
  Size size_ = 0;
};

// Memory for the totals of some answers; on the heap if there are many.
class TotalsMemory {
 public:
  explicit TotalsMemory(Size answers)
      : room_((answers + 7) / 8 * 8), memory_(room_ > few ? room_ * PanelTotals::word_count : 0) {
    double* p = room_ > few ? memory_.get() : own_;
    for (double*& w : totals.word) {
      w = p;
      p += room_;
    }
  }
  PanelTotals totals;
  static constexpr Size few = 256;

 private:
  Size room_;
  KeptMemory memory_;
  alignas(64) double own_[few * PanelTotals::word_count];
};

// Memory for the totals of the same answers from several parts of their elements. A word of all
// parts is contiguous, so that few pages are touched.
class PartRooms {
 public:
  PartRooms(Size parts, Size answers)
      : memory_(parts * ((answers + 7) / 8 * 8) * PanelTotals::word_count), totals_(parts) {
    const Size n = (answers + 7) / 8 * 8;
    for (Size k = 0; k < parts; ++k) {
      for (Size w = 0; w < PanelTotals::word_count; ++w) {
        totals_[k].word[w] = memory_.get() + (w * parts + k) * n;
      }
    }
  }
  PanelTotals& operator[](Size part) { return totals_[part]; }

 private:
  KeptMemory memory_;
  std::vector<PanelTotals> totals_;
};

// Sets rounding to nearest without traps; the destructor restores the caller's sticky flags.
class FlagsGuard {
 public:
  ~FlagsGuard() { floating_point::set_flags(floating_point::flags() | flags_); }

 private:
  FloatingPointMode mode_;
  unsigned flags_ = floating_point::flags();
};

// Returns whether the processor's inexact flag works. An emulator such as Valgrind may not set it;
// then totals cannot be trusted.
inline bool says_inexact() {
  const FlagsGuard mode;
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
