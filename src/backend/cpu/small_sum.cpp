// The exact sum of a few f64 in cache, or their mean, rounded, without a plan, a state or memory of
// its own.
//
//   method   two windows (exact/window.inl); the anchor is guessed from the first elements and put
//            right once; the integer sums make one 128-bit integer, which is rounded
//   gives up infinities, NaN, sums that need a third window, numbers beyond the anchors
//   cost     8, 1000, 10000 elements: see bench/small
#include "backend/cpu/hot.hpp"
#include "onefold/exact/real.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/small_sum.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if HWY_TARGET <= HWY_SSE4
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace small {
namespace hn = hwy::HWY_NAMESPACE;
#include "backend/cpu/vocabulary.inl"

#include "backend/cpu/exact/window.inl"

// r elements, fewer than N, and zeros.
HWY_INLINE HWY_ATTR V load_rest(const double* x, Size r) {
#if HWY_TARGET == HWY_SSE4  // reads all lanes whatever the mask
  alignas(16) double pad[N] = {};
  std::memcpy(pad, x, r * sizeof *x);
  return hn::Load(d64, pad);
#else
  return hn::MaskedLoad(hn::FirstN(d64, r), d64, x);
#endif
}

// Adds to s0 and s1, in units of each window; false if that was not exact. `whole`: a multiple of
// N. 127 additions an accumulator, and one for the rest.
HWY_INLINE HWY_ATTR bool add_up(const double* x, Size whole, V rest, int anchor, VI& s0, VI& s1) {
  const V m0 = hn::Set(d64, window_start(anchor, 0)), m1 = hn::Set(d64, window_start(anchor, 1));
  const V one = opaque_one();
  Steps steps;
  steps.open();
  constexpr Size block = tile_elements - 4 * N;
  for (Size i = 0;;) {
    const Size end = whole - i < block ? whole : i + block;
    WindowSet<2> p0, p1, p2, p3;
    p0.open(m0, m1, m1);
    p1 = p2 = p3 = p0;
    for (; i + 4 * N <= end; i += 4 * N) {
      p0.take(hn::LoadU(d64, x + i), m0, one, steps);
      p1.take(hn::LoadU(d64, x + i + N), m0, one, steps);
      p2.take(hn::LoadU(d64, x + i + 2 * N), m0, one, steps);
      p3.take(hn::LoadU(d64, x + i + 3 * N), m0, one, steps);
    }
    if (i + N <= end) p0.take(hn::LoadU(d64, x + i), m0, one, steps);
    if (i + 2 * N <= end) p1.take(hn::LoadU(d64, x + i + N), m0, one, steps);
    if (i + 3 * N <= end) p2.take(hn::LoadU(d64, x + i + 2 * N), m0, one, steps);
    i = end;
    if (i == whole) p3.take(rest, m0, one, steps);
    s0 = hn::Add(s0, window_units(p0.a, p1.a, p2.a, p3.a, m0));
    s1 = hn::Add(s1, window_units(p0.b, p1.b, p2.b, p3.b, m1));
    if (i == whole) return steps.exact();
  }
}

// Bits of the largest |x|.
HWY_INLINE HWY_ATTR uint64_t top_of(const double* x, Size whole, V rest) {
  VI top = higher(hn::Zero(di64), rest);
  for (Size i = 0; i < whole; i += N) top = higher(top, hn::LoadU(d64, x + i));
  return top_bits(top);
}

// n is at most 2^14: 17 blocks or less, of 4 N accumulators that move by at most 2^51 units; the
// first sum is below 2^60.
HWY_INLINE HWY_ATTR bool fold(const double* x, Size n, Size divisor, double* out) {
  const Size whole = n - n % N;
  const V rest = whole == n ? hn::Zero(d64) : load_rest(x + whole, n - whole);
  const Size seen = whole < 4 * N ? whole : 4 * N;
  int anchor = exponent_above(top_of(x, seen, rest)) + (seen == whole ? 0 : 3);
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (anchor > highest_anchor) return false;
    if (anchor < lowest_anchor) anchor = lowest_anchor;
    VI s0 = hn::Zero(di64), s1 = s0;
    if (HWY_UNLIKELY(!add_up(x, whole, rest, anchor, s0, s1))) {
      const int better = exponent_above(top_of(x, whole, rest));
      if (better == anchor) return false;
      anchor = better;
      continue;
    }
    const Int128 v = (static_cast<Int128>(sum_lanes(s0)) << window_bits) + sum_lanes(s1);
    if (HWY_UNLIKELY(v == 0)) {  // -0 if there are any elements and all of them are
      const auto negative_zero = [](double e) {
        return bit_cast<uint64_t>(e) == uint64_t{1} << 63;
      };
      *out = n != 0 && std::all_of(x, x + n, negative_zero) ? -0.0 : 0.0;
      return true;
    }
    const bool negative = v < 0;
    const auto magnitude = static_cast<Uint128>(negative ? -v : v);
    if (divisor != 1) {
      Real mean;
      mean.negative = negative;
      mean.numerator = Leading(magnitude, anchor - 2 * window_bits);
      mean.n = divisor;
      constexpr RoundingSteps steps{.second_quotient = false, .root = false, .integers = false};
      *out = bit_cast<double>(round_float<steps>(mean, float_format(DType::f64)));
      return true;
    }
    *out = bit_cast<double>(detail::round_to_float(magnitude, anchor - 2 * window_bits, false,
                                                   negative, float_format(DType::f64)));
    return true;
  }
  return false;
}

HWY_ATTR bool sum(const double* x, Size n, double* out) { return fold(x, n, 1, out); }
HWY_ATTR bool mean(const double* x, Size n, double* out) { return n != 0 && fold(x, n, n, out); }

}  // namespace small
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
#include <xmmintrin.h>

namespace onefold::cpu_backend {

namespace {

struct SmallFolds {
  SmallFold* sum = nullptr;
  SmallFold* mean = nullptr;
};

SmallFolds small_folds([[maybe_unused]] Target target) {
#if HWY_TARGETS & HWY_SSE4
  if (target == Target::sse4) return {N_SSE4::small::sum, N_SSE4::small::mean};
#endif
#if HWY_TARGETS & HWY_AVX2
  if (target == Target::avx2) return {N_AVX2::small::sum, N_AVX2::small::mean};
#endif
#if HWY_TARGETS & HWY_AVX3
  if (target == Target::avx3) return {N_AVX3::small::sum, N_AVX3::small::mean};
#endif
  return {};
}

bool fits(Size n) {
  // Round to nearest, subnormals kept, no traps: all but the six sticky flags.
  return n <= small_sum_most && (_mm_getcsr() & ~0x3fu) == 0x1f80;
}

}  // namespace

SmallFold* small_sum(Target target) { return small_folds(target).sum; }
SmallFold* small_mean(Target target) { return small_folds(target).mean; }

bool quick_sum(const double* x, Size n, double* out) {
  static SmallFold* const best = small_sum(usable_targets()[0]);
  return fits(n) && best != nullptr && best(x, n, out);
}
bool quick_mean(const double* x, Size n, double* out) {
  static SmallFold* const best = small_mean(usable_targets()[0]);
  return fits(n) && best != nullptr && best(x, n, out);
}

}  // namespace onefold::cpu_backend
#endif
