// Vector code that computes selections (one bit per element) and copies selected elements.
#include "onefold/cpu/select.hpp"

#include <cstring>

#include "onefold/cpu/hot.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/select.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS || HWY_TARGET == HWY_STATIC_TARGET
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace select_ways_of {
namespace hn = hwy::HWY_NAMESPACE;

// How far ahead of the loads to prefetch, in bytes.
constexpr Size ahead = 4096;

// Returns the lanes of a mask as the lowest bits of an integer.
template <class D, class M>
HWY_INLINE HWY_ATTR uint64_t bits_of_mask(D d, M mask) {
  constexpr Size lanes = hn::MaxLanes(D());
  typename onefold::detail::Bits<lanes <= 8 ? 1 : lanes / 8>::type b = 0;
  hn::StoreMaskBits(d, mask, reinterpret_cast<uint8_t*>(&b));
  return b;
}

// Writes one bit per element: the lanes of test(i, rest); `rest` is the number of elements from i
// on.
//   keep  true: a bit stays 1 only if it was 1 before
template <class D, bool keep, class Test>
HWY_INLINE HWY_ATTR Size words_of(D d, Size n, uint64_t* words, Test test) {
  constexpr Size lanes = hn::MaxLanes(D());
  Size taken = 0;
  const auto put = [&](Size i, uint64_t w) HWY_ATTR {
    words[i / 64] = w = keep ? words[i / 64] & w : w;
    taken += static_cast<Size>(__builtin_popcountll(w));
  };
  Size i = 0;
  for (; i + 64 <= n; i += 64) {
    uint64_t w = 0;
#pragma GCC unroll 32
    for (Size k = 0; k < 64; k += lanes) w |= bits_of_mask(d, test(i + k, lanes)) << k;
    put(i, w);
  }
  if (i == n) return taken;
  uint64_t w = 0;
  for (Size k = 0; i + k < n; k += lanes) w |= bits_of_mask(d, test(i + k, n - i - k)) << k;
  put(i, w & ((uint64_t{1} << (n - i)) - 1));
  return taken;
}

// Calls f(i, rest) for each vector of n elements; `rest` elements remain from element i to the end.
template <Size lanes, class F>
HWY_INLINE HWY_ATTR void over_vectors(Size n, F f) {
  Size i = 0;
  for (; i + lanes <= n; i += lanes) f(i, lanes);
  if (i < n) f(i, n - i);
}

// Loads a vector; lanes after the end are 0.
template <class D, class T>
HWY_INLINE HWY_ATTR hn::Vec<D> load(D d, const T* x, Size n) {
  constexpr Size lanes = hn::MaxLanes(D());
  if (n >= lanes) return hn::LoadU(d, x);
  alignas(64) T rest[lanes] = {};
  std::memcpy(rest, x, n * sizeof(T));
  return hn::Load(d, rest);
}

HWY_ATTR Size bits(const std::byte* bytes, Size n, uint64_t* words) {
  const hn::ScalableTag<uint8_t> d;
  const auto* p = reinterpret_cast<const uint8_t*>(bytes);
  return words_of<decltype(d), false>(d, n, words, [&](Size i, Size rest) HWY_ATTR {
    if (i % 64 == 0) __builtin_prefetch(p + i + ahead);
    return hn::Ne(load(d, p + i, rest), hn::Zero(d));
  });
}

// Moves the lanes whose bit of `part` is 1 to the front.
template <class U, class V>
HWY_INLINE HWY_ATTR V compressed(V v, uint64_t part) {
#if HWY_TARGET <= HWY_AVX3
  // Highway 1.0 uses a table for 64-bit lanes, which g++ copies to the stack for each vector.
  if constexpr (sizeof(U) == 8)
    return V{_mm512_maskz_compress_epi64(static_cast<__mmask8>(part), v.raw)};
  if constexpr (sizeof(U) == 4)
    return V{_mm512_maskz_compress_epi32(static_cast<__mmask16>(part), v.raw)};
#endif
  if constexpr (sizeof(U) > 1) {
    uint8_t b[8];
    std::memcpy(b, &part, 8);
    return hn::CompressBits(v, b);
  } else {
    return v;
  }
}

// U: an unsigned integer type of the element's size.
template <class U>
HWY_ATTR void compress(const std::byte* from, const uint64_t* words, Size n, std::byte* to) {
  const hn::ScalableTag<U> d;
  constexpr Size lanes = hn::MaxLanes(hn::ScalableTag<U>());
  const auto* x = reinterpret_cast<const U*>(from);
  auto* y = reinterpret_cast<U*>(to);
  for (Size i = 0; i < n; i += 64) {
    uint64_t m = words[i / 64];
    if (m == 0) continue;
    const Size here = n - i < 64 ? n - i : 64;
    if (m == ~uint64_t{0}) {
      std::memcpy(y, x + i, 64 * sizeof(U));
      y += 64;
      continue;
    }
    if (here == 64 && sizeof(U) > 1) {
      // Prefetches explicitly: a tile is too short for the processor to predict the loads.
      for (Size line = 0; line < sizeof(U); ++line) {
        __builtin_prefetch(reinterpret_cast<const char*>(x + i) + ahead + 64 * line);
      }
      for (Size k = 0; k < 64; k += lanes) {
        const uint64_t part = m & ((uint64_t{1} << (lanes % 64)) - 1);
        hn::StoreU(compressed<U>(hn::LoadU(d, x + i + k), part), d, y);
        y += __builtin_popcountll(part);
        m >>= lanes % 64;
      }
      continue;
    }
    // No branch: mispredicted branches cost more than unneeded stores.
    for (Size k = 0; k < here; ++k, m >>= 1) {
      std::memcpy(y, x + i + k, sizeof(U));
      y += m & 1;
    }
  }
}

// Tests whether |x| <= `greatest`, both as bits. L: a signed integer type of the element's size.
template <class L>
struct Within {
  using D = hn::ScalableTag<L>;
  static constexpr D d{};
  const L* x;
  L greatest;
  HWY_INLINE HWY_ATTR auto operator()(Size i, Size rest) const {
    const auto magnitude = hn::And(load(d, x + i, rest), hn::Set(d, std::numeric_limits<L>::max()));
    return hn::Lt(magnitude, hn::Set(d, static_cast<L>(greatest + 1)));
  }
};
template <class L>
HWY_ATTR Size within(const std::byte* x, uint64_t greatest, Size n, uint64_t* words) {
  const Within<L> test{reinterpret_cast<const L*>(x), static_cast<L>(greatest)};
  return words_of<typename Within<L>::D, true>(test.d, n, words, test);
}
template <class L>
HWY_ATTR bool all_within(const std::byte* x, uint64_t greatest, Size n) {
  const Within<L> test{reinterpret_cast<const L*>(x), static_cast<L>(greatest)};
  constexpr Size lanes = hn::MaxLanes(test.d);
  auto all = hn::Eq(hn::Zero(test.d), hn::Zero(test.d));
  over_vectors<lanes>(n, [&](Size i, Size rest) HWY_ATTR { all = hn::And(all, test(i, rest)); });
  return hn::AllTrue(test.d, all);
}

template <class L, bool sifts>
HWY_ATTR void replace_of(const L* x, uint64_t* words, Size n, uint64_t greatest, L with, L* to) {
  const hn::ScalableTag<L> d;
  constexpr Size lanes = hn::MaxLanes(hn::ScalableTag<L>());
  const Within<L> test{x, static_cast<L>(greatest)};
  const auto fill = hn::Set(d, with);
  const auto put = [&](Size i, uint64_t part, Size rest) HWY_ATTR {
    auto taken = hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&part));
    if constexpr (sifts) taken = hn::And(taken, test(i, rest));
    hn::StoreU(hn::IfThenElse(taken, load(d, x + i, rest), fill), d, to + i);
    return sifts ? bits_of_mask(d, taken) : 0;
  };
  Size i = 0;
  for (; i + 64 <= n; i += 64) {
    const uint64_t word = words[i / 64];
    uint64_t left = 0;
#pragma GCC unroll 32
    for (Size k = 0; k < 64; k += lanes) left |= put(i + k, word >> k, lanes) << k;
    if constexpr (sifts) words[i / 64] = left;
  }
  if (i == n) return;
  uint64_t left = 0;
  for (Size k = 0; i + k < n; k += lanes) left |= put(i + k, words[i / 64] >> k, n - i - k) << k;
  if constexpr (sifts) words[i / 64] = left;
}
template <class L>
HWY_ATTR void replace(const std::byte* x, uint64_t* words, Size n, uint64_t greatest, uint64_t with,
                      std::byte* to) {
  const bool sifts = greatest < static_cast<uint64_t>(std::numeric_limits<L>::max());
  (sifts ? replace_of<L, true> : replace_of<L, false>)(reinterpret_cast<const L*>(x), words, n,
                                                       greatest, static_cast<L>(with),
                                                       reinterpret_cast<L*>(to));
}

HWY_ATTR void widen(const float* x, Size n, double* to) {
  const hn::ScalableTag<double> d;
  constexpr Size lanes = hn::MaxLanes(hn::ScalableTag<double>());
  const hn::Rebind<float, decltype(d)> narrow;
  over_vectors<lanes>(n, [&](Size i, Size rest) HWY_ATTR {
    hn::StoreU(hn::PromoteTo(d, load(narrow, x + i, rest)), d, to + i);
  });
}

HWY_ATTR Size ones(const uint64_t* words, Size begin, Size end) {
  const auto in = [](uint64_t w) HWY_ATTR { return static_cast<Size>(__builtin_popcountll(w)); };
  if (begin >= end) return 0;
  const Size first = begin / 64, last = end / 64;
  const uint64_t front = words[first] >> begin % 64;
  if (first == last) return in(front & low_bits(end - begin));
  Size found = in(front);
  for (Size w = first + 1; w < last; ++w) found += in(words[w]);
  return end % 64 == 0 ? found : found + in(words[last] & low_bits(end % 64));
}

HWY_ATTR void count(const uint64_t* words, Size n, uint8_t* counts) {
  const hn::ScalableTag<uint8_t> d;
  constexpr Size lanes = hn::MaxLanes(hn::ScalableTag<uint8_t>());
  for (Size i = 0; i < n; i += lanes) {
    const uint64_t part = words[i / 64] >> i % 64;
    const auto taken = hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&part));
    const auto one = hn::VecFromMask(d, taken);  // -1
    hn::StoreU(hn::Sub(hn::LoadU(d, counts + i), one), d, counts + i);
  }
}

template <class T>
HWY_ATTR void order(const std::byte* px, const std::byte* py, Size n, std::byte* to,
                    std::byte* to_negated) {
  const hn::ScalableTag<T> d;
  constexpr Size lanes = hn::MaxLanes(hn::ScalableTag<T>());
  const auto* x = reinterpret_cast<const T*>(px);
  const auto* y = reinterpret_cast<const T*>(py);
  auto* larger = reinterpret_cast<T*>(to);
  auto* smaller = reinterpret_cast<T*>(to_negated);
  Size i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto a = hn::LoadU(d, x + i), b = hn::LoadU(d, y + i);
    hn::StoreU(hn::Max(a, b), d, larger + i);
    hn::StoreU(hn::Neg(hn::Min(a, b)), d, smaller + i);
  }
  for (; i < n; ++i) {
    larger[i] = x[i] < y[i] ? y[i] : x[i];
    smaller[i] = -(x[i] < y[i] ? x[i] : y[i]);
  }
}

HWY_ATTR bool order_floats(DType t, const std::byte* x, const std::byte* y, Size n,
                           std::byte* larger, std::byte* smaller) {
  if (t == DType::f32) order<float>(x, y, n, larger, smaller);
  if (t == DType::f64) order<double>(x, y, n, larger, smaller);
  return t == DType::f32 || t == DType::f64;
}

template <class U>
constexpr SelectWays::Elements elements{compress<U>, replace<std::make_signed_t<U>>,
                                        within<std::make_signed_t<U>>,
                                        all_within<std::make_signed_t<U>>};
constexpr SelectWays ways{
    bits,         ones,
    count,        widen,
    order_floats, {elements<uint8_t>, elements<uint16_t>, elements<uint32_t>, elements<uint64_t>}};

}  // namespace select_ways_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

const SelectWays& select_ways([[maybe_unused]] Target target) {
  ONEFOLD_OF_TARGET(target, select_ways_of::ways);
  return HWY_STATIC_DISPATCH(select_ways_of::ways);  // compiled for the oldest processor of this
                                                     // build
}

}  // namespace onefold::cpu_backend
#endif
