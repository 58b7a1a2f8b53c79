// Sets the floating-point mode that the arithmetic needs: rounding to nearest, subnormals kept, no
// traps. At the end the caller's mode is restored. If the caller already has this mode, nothing is
// set: that takes a quarter of the time, but may raise the caller's sticky flags.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cstdint>
#endif

namespace onefold {

// Reads and sets this thread's floating-point mode and sticky flags.
namespace floating_point {
#if defined(__x86_64__)
inline constexpr unsigned usual_mode = 0x1f80, all_flags = 0x3f, inexact = 0x20;
inline unsigned mode() { return _mm_getcsr() & ~all_flags; }
inline unsigned flags() { return _mm_getcsr() & all_flags; }
inline void set_mode(unsigned mode) { _mm_setcsr(mode | flags()); }
inline void set_flags(unsigned flags) { _mm_setcsr(mode() | flags); }
#elif defined(__aarch64__)
// Bits of the mode: alternative half precision, default NaN, flush to zero, rounding, traps.
// In assembly: clang before 17 lacks g++'s functions for these registers.
inline constexpr unsigned usual_mode = 0, all_flags = 0x9f, inexact = 0x10;
inline unsigned mode() {
  std::uint64_t bits;
  asm volatile("mrs %0, fpcr" : "=r"(bits));
  return static_cast<unsigned>(bits) & 0x07f89f07u;
}
inline unsigned flags() {
  std::uint64_t bits;
  asm volatile("mrs %0, fpsr" : "=r"(bits));
  return static_cast<unsigned>(bits) & all_flags;
}
inline void set_mode(unsigned mode) {
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{mode}) : "memory");
}
inline void set_flags(unsigned flags) {
  asm volatile("msr fpsr, %0" : : "r"(std::uint64_t{flags}) : "memory");
}
#else
#error "Onefold knows the floating-point modes of x86-64 and aarch64 only"
#endif
}  // namespace floating_point

class FloatingPointMode {
 public:
  FloatingPointMode() : mode_(floating_point::mode()) {
    if (mode_ == floating_point::usual_mode) return;
    flags_ = floating_point::flags();
    floating_point::set_mode(floating_point::usual_mode);
  }
  ~FloatingPointMode() {
    if (mode_ == floating_point::usual_mode) return;
    floating_point::set_mode(mode_);
    floating_point::set_flags(flags_);
  }
  FloatingPointMode(const FloatingPointMode&) = delete;
  FloatingPointMode& operator=(const FloatingPointMode&) = delete;

 private:
  unsigned mode_, flags_ = 0;
};

}  // namespace onefold
