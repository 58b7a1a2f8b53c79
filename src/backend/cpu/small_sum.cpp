// The exact sum of a few f64 in cache, rounded, without a plan, a state or memory of its own.
//
//   method   two windows (exact/window.inl); the anchor is guessed from the first elements and put
//            right once; the integer sums make one 128-bit integer, which is rounded
//   gives up infinities, NaN, sums that need a third window, numbers beyond the anchors
//   cost     8, 1000, 10000 elements: see bench/small
#include <hwy/highway.h>

#include "backend/cpu/hot.hpp"
#include "onefold/exact/real.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/small_sum.cpp"
#include <hwy/foreach_target.h>

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
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

struct Sums {
  VI s0, s1;
  V left;
  Top top;
};

// `whole` a multiple of N. 127 additions an accumulator, and one for the rest.
HWY_INLINE HWY_ATTR Sums add_up(const double* x, Size whole, V rest, int anchor) {
  const V m0 = hn::Set(d64, window_start(anchor, 0)), m1 = hn::Set(d64, window_start(anchor, 1));
  const V one = opaque_one();
  Sums s{hn::Zero(di64), hn::Zero(di64), hn::Zero(d64), higher(no_top(), rest)};
  Top top1 = no_top();
  V left1 = hn::Zero(d64);
  constexpr Size block = tile_elements - 4 * N;
  for (Size i = 0;;) {
    const Size end = whole - i < block ? whole : i + block;
    WindowSet<2> p0, p1, p2, p3;
    p0.open(m0, m1, m1);
    p1 = p2 = p3 = p0;
    for (; i + 4 * N <= end; i += 4 * N) {
      const V x0 = hn::LoadU(d64, x + i), x1 = hn::LoadU(d64, x + i + N),
              x2 = hn::LoadU(d64, x + i + 2 * N), x3 = hn::LoadU(d64, x + i + 3 * N);
      s.top = higher(s.top, x0);
      top1 = higher(top1, x1);
      s.left = hn::Or(s.left, p0.take(x0, one));
      left1 = hn::Or(left1, p1.take(x1, one));
      s.top = higher(s.top, x2);
      top1 = higher(top1, x3);
      s.left = hn::Or(s.left, p2.take(x2, one));
      left1 = hn::Or(left1, p3.take(x3, one));
    }
    const auto take = [&](WindowSet<2>& p) HWY_ATTR {
      if (i == end) return;
      const V v = hn::LoadU(d64, x + i);
      top1 = higher(top1, v);
      left1 = hn::Or(left1, p.take(v, one));
      i += N;
    };
    take(p0);
    take(p1);
    take(p2);
    if (i == whole) s.left = hn::Or(s.left, p3.take(rest, one));
    const auto units = [](V a, V b, V c, V e, V m) HWY_ATTR {
      return hn::Sub(hn::Add(hn::Add(bits_of_vector(a), bits_of_vector(b)),
                             hn::Add(bits_of_vector(c), bits_of_vector(e))),
                     hn::ShiftLeft<2>(bits_of_vector(m)));
    };
    s.s0 = hn::Add(s.s0, units(p0.a, p1.a, p2.a, p3.a, m0));
    s.s1 = hn::Add(s.s1, units(p0.b, p1.b, p2.b, p3.b, m1));
    if (i == whole) break;
  }
  s.top = higher_of(s.top, top1);
  s.left = hn::Or(s.left, left1);
  return s;
}

// n is at most 2^14: the first sum is below 2^58 units.
HWY_ATTR bool sum(const double* x, Size n, double* out) {
  const Size whole = n - n % N;
  const V rest = whole == n ? hn::Zero(d64) : load_rest(x + whole, n - whole);
  Top top = higher(no_top(), rest);
  const Size seen = whole < 16 * N ? whole : 16 * N;
  for (Size i = 0; i < seen; i += N) top = higher(top, hn::LoadU(d64, x + i));
  int anchor = exponent_above(top_bits(top)) + (seen == whole ? 0 : 3);
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (anchor > highest_anchor) return false;
    if (anchor < lowest_anchor) anchor = lowest_anchor;
    const Sums s = add_up(x, whole, rest, anchor);
    const uint64_t bits = top_bits(s.top);
    if (HWY_UNLIKELY(bits >= bit_cast<uint64_t>(power_of_two(anchor)) ||
                     !hn::AllTrue(d64, hn::Eq(s.left, hn::Zero(d64))))) {
      const int better = exponent_above(bits);
      if (better == anchor) return false;
      anchor = better;
      continue;
    }
    if (HWY_UNLIKELY(bits == 0)) {  // zeros: -0 if there are any and all are
      *out = n == 0 ? 0.0 : -0.0;
      for (Size i = 0; i < n; ++i) {
        if (bit_cast<uint64_t>(x[i]) == 0) *out = 0;
      }
      return true;
    }
    const Int128 v = (static_cast<Int128>(sum_lanes(s.s0)) << window_bits) + sum_lanes(s.s1);
    const bool negative = v < 0;
    const auto magnitude = static_cast<Uint128>(negative ? -v : v);
    *out = bit_cast<double>(detail::round_to_float(magnitude, anchor - 2 * window_bits, false,
                                                   negative, float_format(DType::f64)));
    return true;
  }
  return false;
}

}  // namespace small
#endif
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <xmmintrin.h>

namespace onefold::cpu_backend {

SmallSum small_sum([[maybe_unused]] Target target) {
#if HWY_TARGETS & HWY_SSE4
  if (target == Target::sse4) return N_SSE4::small::sum;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (target == Target::avx2) return N_AVX2::small::sum;
#endif
#if HWY_TARGETS & HWY_AVX3
  if (target == Target::avx3) return N_AVX3::small::sum;
#endif
  return nullptr;
}

bool quick_sum(const double* x, Size n, double* out) {
  // Round to nearest, subnormals kept, no traps: all but the six sticky flags.
  if (n > small_sum_most || (_mm_getcsr() & ~0x3fu) != 0x1f80) return false;
  static const SmallSum best = small_sum(usable_targets()[0]);
  return best != nullptr && best(x, n, out);
}

}  // namespace onefold::cpu_backend
#endif
