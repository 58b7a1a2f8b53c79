// The exactly rounded sum or mean of a few f64 or f32 in cache, without a plan, a state or an
// allocation.
//
//   method    two windows (exact/window.inl). The anchor is guessed from the first elements, and
//             corrected once if it does not fit. The windows' sums make one 128-bit integer, which
//             is rounded
//   gives up  infinities, NaN, sums that need a third window, exponents outside the anchors' range
//   cost      bench/small has 8, 1,000 and 10,000 elements
#include <cmath>

#include "onefold/core/exact/real.hpp"
#include "onefold/core/op_facts.hpp"
#include "onefold/cpu/hot.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/small_sum.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace small {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/vocabulary.inl"

#include "onefold/cpu/exact/window.inl"

template <class T>
HWY_INLINE HWY_ATTR V load(const T* x) {
  if constexpr (sizeof(T) == 8) {
    return hn::LoadU(d64, x);
  } else {
    return hn::PromoteTo(d64, hn::LoadU(hn::Rebind<float, D>(), x));
  }
}
// Loads r < N elements; the other lanes are 0.
template <class T>
HWY_INLINE HWY_ATTR V load_rest(const T* x, Size r) {
#if HWY_TARGET >= HWY_SSE4  // a masked load reads all lanes here
  alignas(16) T pad[N] = {};
  std::memcpy(pad, x, r * sizeof *x);
  return load(pad);
#else
  const hn::Rebind<T, D> d;
  const auto v = hn::MaskedLoad(hn::FirstN(d, r), d, x);
  if constexpr (sizeof(T) == 8) {
    return v;
  } else {
    return hn::PromoteTo(d64, v);
  }
#endif
}

// Adds the elements to s0 and s1, in units of their windows. Returns false if that was not exact.
// `whole` is a multiple of N. Each accumulator takes at most 127 additions, and one more for the
// remaining elements.
template <class T>
HWY_INLINE HWY_ATTR bool add_up(const T* x, Size whole, V rest, int anchor, VI& s0, VI& s1) {
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
      p0.take(load(x + i), m0, one, steps);
      p1.take(load(x + i + N), m0, one, steps);
      p2.take(load(x + i + 2 * N), m0, one, steps);
      p3.take(load(x + i + 3 * N), m0, one, steps);
    }
    if (i + N <= end) p0.take(load(x + i), m0, one, steps);
    if (i + 2 * N <= end) p1.take(load(x + i + N), m0, one, steps);
    if (i + 3 * N <= end) p2.take(load(x + i + 2 * N), m0, one, steps);
    i = end;
    if (i == whole) p3.take(rest, m0, one, steps);
    s0 = hn::Add(s0, window_units(p0.a, p1.a, p2.a, p3.a, m0));
    s1 = hn::Add(s1, window_units(p0.b, p1.b, p2.b, p3.b, m1));
    if (i == whole) return steps.exact();
  }
}

// Returns the bits of the largest |x|.
template <class T>
HWY_INLINE HWY_ATTR uint64_t top_of(const T* x, Size whole, V rest) {
  VI top = higher(hn::Zero(di64), rest);
  for (Size i = 0; i < whole; i += N) top = higher(top, load(x + i));
  return top_bits(top);
}

// No overflow: n <= 2^14 makes at most 17 blocks of 4 N accumulators, each of which changes by at
// most 2^51 units; the first sum is below 2^60.
template <class T>
HWY_INLINE HWY_ATTR bool fold(const T* x, Size n, Size divisor, T* out) {
  constexpr FloatFormat format = float_format(dtype_of<T>);
  const auto of_bits = [](uint64_t bits) { return bit_cast<T>(static_cast<bits_of<T>>(bits)); };
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
    if (HWY_UNLIKELY(v == 0)) {  // -0 if there is at least one element and all are -0
      const auto negative_zero = [](T e) { return e == 0 && std::signbit(e); };
      *out = n != 0 && std::all_of(x, x + n, negative_zero) ? -T{0} : T{0};
      return true;
    }
    const bool negative = v < 0;
    const auto magnitude = static_cast<Uint128>(negative ? -v : v);
    if (divisor != 1) {
      Real mean;
      mean.negative = negative;
      mean.numerator = Leading(magnitude, anchor - 2 * window_bits);
      mean.n = divisor;
      static constexpr RoundingSteps steps{
          .second_quotient = false, .root = false, .integers = false};
      *out = of_bits(round_float<Taking<steps>>(mean, format));
      return true;
    }
    *out = of_bits(
        detail::round_to_float(magnitude, anchor - 2 * window_bits, false, negative, format));
    return true;
  }
  return false;
}

template <class T>
HWY_ATTR bool sum(const T* x, Size n, T* out) {
  return fold(x, n, 1, out);
}
template <class T>
HWY_ATTR bool mean(const T* x, Size n, T* out) {
  return n != 0 && fold(x, n, n, out);
}

}  // namespace small
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
#include <atomic>

#include "onefold/system/floating_point.hpp"

namespace onefold::cpu_backend {

namespace {

template <class T>
bool fits(Size n) {
  return n <= small_sum_most<T> && floating_point::mode() == floating_point::usual_mode;
}

}  // namespace

template <class T>
SmallFold<T>* small_sum([[maybe_unused]] Target target) {
  ONEFOLD_OF_TARGET(target, small::sum<T>);
  return nullptr;
}
template <class T>
SmallFold<T>* small_mean([[maybe_unused]] Target target) {
  ONEFOLD_OF_TARGET(target, small::mean<T>);
  return nullptr;
}
template SmallFold<float>* small_sum<float>(Target);
template SmallFold<double>* small_sum<double>(Target);
template SmallFold<float>* small_mean<float>(Target);
template SmallFold<double>* small_mean<double>(Target);

template <class T, SmallFold<T>* of_target(Target)>
static bool quick_fold(const T* x, Size n, T* out) {
  // A target without such a function is looked up again on each call. A local static has a lock,
  // which is unsafe after fork (onefold/system/made_once.hpp).
  static constinit std::atomic<SmallFold<T>*> known{nullptr};
  if (!fits<T>(n)) return false;
  SmallFold<T>* best = known.load(std::memory_order_relaxed);
  if (best == nullptr) {
    best = of_target(usable_targets()[0]);
    if (best == nullptr) return false;
    known.store(best, std::memory_order_relaxed);
  }
  return best(x, n, out);
}
template <class T>
bool quick_sum(const T* x, Size n, T* out) {
  return quick_fold<T, small_sum<T>>(x, n, out);
}
template <class T>
bool quick_mean(const T* x, Size n, T* out) {
  return quick_fold<T, small_mean<T>>(x, n, out);
}
template bool quick_sum(const float*, Size, float*);
template bool quick_sum(const double*, Size, double*);
template bool quick_mean(const float*, Size, float*);
template bool quick_mean(const double*, Size, double*);

}  // namespace onefold::cpu_backend
#endif
