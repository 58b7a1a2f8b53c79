// Instruction sets: those that this processor has, and those for which Highway has compiled code.
#pragma once

#include <hwy/detect_targets.h>

#include <cstdint>
#include <span>

namespace onefold {

// Instruction sets, the best first.
enum class Target : uint8_t { avx3, avx2, sse4, neon, portable };
inline constexpr int target_count = 5;
const char* name_of(Target t);

// Returns whether this processor runs what Highway compiles for these vectors. Highway's own
// SupportedTargets is not used: libhwy measures the clock when it is loaded, which makes every
// start of a program 4 ms slower.
bool runs_vectors(Target t);
// The instruction sets that this processor can run, the best first; the last one is portable.
std::span<const Target> usable_targets();

}  // namespace onefold

// Returns an expression's value in the namespace of a target, if that target was compiled;
// otherwise execution continues.
//   ONEFOLD_OF_TARGET(target, panel_sums_of::find(name, t))
#define ONEFOLD_OF_TARGET(target, ...) \
  ONEFOLD_OF_SSE4(target, __VA_ARGS__) \
  ONEFOLD_OF_AVX2(target, __VA_ARGS__) \
  ONEFOLD_OF_AVX3(target, __VA_ARGS__) \
  ONEFOLD_OF_NEON(target, __VA_ARGS__)

#if HWY_TARGETS & HWY_SSE4
#define ONEFOLD_OF_SSE4(target, ...) \
  if (target == Target::sse4) return N_SSE4::__VA_ARGS__;
#else
#define ONEFOLD_OF_SSE4(target, ...)
#endif
#if HWY_TARGETS & HWY_AVX2
#define ONEFOLD_OF_AVX2(target, ...) \
  if (target == Target::avx2) return N_AVX2::__VA_ARGS__;
#else
#define ONEFOLD_OF_AVX2(target, ...)
#endif
#if HWY_TARGETS & HWY_AVX3
#define ONEFOLD_OF_AVX3(target, ...) \
  if (target == Target::avx3) return N_AVX3::__VA_ARGS__;
#else
#define ONEFOLD_OF_AVX3(target, ...)
#endif
#if HWY_TARGETS & HWY_NEON
#define ONEFOLD_OF_NEON(target, ...) \
  if (target == Target::neon) return N_NEON::__VA_ARGS__;
#else
#define ONEFOLD_OF_NEON(target, ...)
#endif
