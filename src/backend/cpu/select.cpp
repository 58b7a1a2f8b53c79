// Masks as words, and elements that are taken, in vector code.
#include "backend/cpu/select.hpp"

#include <cstring>
#include <iterator>

#include "backend/cpu/hot.hpp"
#include "backend/cpu/of_target.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/select.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if HWY_TARGET <= HWY_SSE4
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace select_ways_of {
namespace hn = hwy::HWY_NAMESPACE;

// Bytes that are asked for before they are loaded.
constexpr Size ahead = 4096;

HWY_ATTR Size bits(const std::byte* bytes, Size n, uint64_t* words) {
  const hn::ScalableTag<uint8_t> d;
  constexpr Size lanes = hn::MaxLanes(hn::ScalableTag<uint8_t>());
  const auto* p = reinterpret_cast<const uint8_t*>(bytes);
  const auto zero = hn::Zero(d);
  auto* to = reinterpret_cast<uint8_t*>(words);
  Size taken = 0, i = 0;
  for (; i + 64 <= n; i += 64) {
    __builtin_prefetch(p + i + ahead);
    for (Size k = i; k < i + 64; k += lanes) {
      hn::StoreMaskBits(d, hn::Ne(hn::LoadU(d, p + k), zero), to + k / 8);
    }
    taken += static_cast<Size>(__builtin_popcountll(words[i / 64]));
  }
  for (; i < n; i += lanes) {
    alignas(64) uint8_t rest[lanes] = {};
    const Size here = n - i < lanes ? n - i : lanes;
    std::memcpy(rest, p + i, here);
    uint8_t last[8] = {};
    hn::StoreMaskBits(d, hn::Ne(hn::Load(d, rest), zero), last);
    uint64_t word = 0;
    std::memcpy(&word, last, 8);
    taken += static_cast<Size>(__builtin_popcountll(word));
    std::memcpy(to + i / 8, last, (here + 7) / 8);
  }
  return taken;
}

// The lanes whose bit of `part` is 1, at the beginning.
template <class U, class V>
HWY_INLINE HWY_ATTR V compressed(V v, uint64_t part) {
#if HWY_TARGET <= HWY_AVX3
  // Highway 1.0 has a table for 64 bits, which g++ copies to the stack for each vector.
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

// U: an unsigned type of an element's size.
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
      // What comes is asked for: a tile is too short for the processor to see where loads go.
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
    // Without a branch: bits that nobody can guess cost more than a store too many.
    for (Size k = 0; k < here; ++k, m >>= 1) {
      std::memcpy(y, x + i + k, sizeof(U));
      y += m & 1;
    }
  }
}

template <class U>
HWY_ATTR bool finite(const std::byte* bytes, Size n, U exponent) {
  const hn::ScalableTag<U> d;
  constexpr Size lanes = hn::MaxLanes(hn::ScalableTag<U>());
  const auto* x = reinterpret_cast<const U*>(bytes);
  const auto mask = hn::Set(d, exponent);
  auto bad = hn::Zero(d);
  const auto add = [&](auto v) HWY_ATTR {
    bad = hn::Or(bad, hn::VecFromMask(d, hn::Eq(hn::And(v, mask), mask)));
  };
  Size i = 0;
  for (; i + lanes <= n; i += lanes) add(hn::LoadU(d, x + i));
  if (i < n) {
    alignas(64) U rest[lanes] = {};
    std::memcpy(rest, x + i, (n - i) * sizeof(U));
    add(hn::Load(d, rest));
  }
  return hn::AllTrue(d, hn::Eq(bad, hn::Zero(d)));
}

HWY_ATTR bool all_finite(DType t, const std::byte* x, Size n) {
  switch (t) {
    case DType::f16:
      return finite<uint16_t>(x, n, 0x7c00);
    case DType::bf16:
      return finite<uint16_t>(x, n, 0x7f80);
    case DType::f32:
      return finite<uint32_t>(x, n, 0x7f800000);
    case DType::f64:
      return finite<uint64_t>(x, n, 0x7ff0000000000000);
    default:
      return true;
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

constexpr SelectWays ways{
    bits,       compress<uint8_t>, compress<uint16_t>, compress<uint32_t>, compress<uint64_t>,
    all_finite, order_floats};

}  // namespace select_ways_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {
namespace {

Size plain_bits(const std::byte* bytes, Size n, uint64_t* words) {
  Size taken = 0;
  for (Size i = 0; i < n; ++i) {
    if (i % 64 == 0) words[i / 64] = 0;
    const bool here = bytes[i] != std::byte{0};
    words[i / 64] |= static_cast<uint64_t>(here) << i % 64;
    taken += here ? 1 : 0;
  }
  return taken;
}

template <std::size_t bytes>
void plain_compress(const std::byte* x, const uint64_t* words, Size n, std::byte* to) {
  for (Size i = 0; i < n; ++i) {
    if ((words[i / 64] >> i % 64 & 1) == 0) continue;
    std::memcpy(to, x + i * bytes, bytes);
    to += bytes;
  }
}

bool plain_all_finite(DType t, const std::byte* x, Size n) {
  return visit(t, [&]<class T>() {
    for (Size i = 0; i < n; ++i) {
      T v;
      std::memcpy(&v, x + i * sizeof(T), sizeof(T));
      if (!numeric(v).finite) return false;
    }
    return true;
  });
}

bool plain_order(DType, const std::byte*, const std::byte*, Size, std::byte*, std::byte*) {
  return false;
}

constexpr SelectWays plain{plain_bits,        plain_compress<1>, plain_compress<2>,
                           plain_compress<4>, plain_compress<8>, plain_all_finite,
                           plain_order};

// n <= 64 units as the low bits of a word.
uint64_t gather_bits(const Selector& by, int64_t at, int64_t stride, Size n) {
  uint64_t w = 0;
  for (Size i = 0; i < n; ++i) {
    const int64_t unit = at + static_cast<int64_t>(i) * stride;
    const bool taken = by.by == Selector::By::bytes
                           ? by.data[unit] != std::byte{0}
                           : (std::to_integer<unsigned>(by.data[unit >> 3]) >> (unit & 7) & 1) != 0;
    w |= static_cast<uint64_t>(taken) << i;
  }
  return w;
}

// n <= 64 neighbouring bits; no byte without one of them is touched.
uint64_t load_bits(const std::byte* data, int64_t at, Size n) {
  const std::byte* const p = data + (at >> 3);
  const auto shift = static_cast<Size>(at & 7), bytes = (shift + n + 7) / 8;
  uint64_t low = 0;
  std::memcpy(&low, p, bytes < 8 ? bytes : 8);
  low >>= shift;
  if (bytes > 8) low |= static_cast<uint64_t>(std::to_integer<uint8_t>(p[8])) << (64 - shift);
  return n == 64 ? low : low & ((uint64_t{1} << n) - 1);
}

void put(Selection& to, uint64_t bits, Size n) {
  const Size word = to.n / 64, shift = to.n % 64;
  to.word[word] |= bits << shift;
  if (shift != 0 && shift + n > 64) to.word[word + 1] |= bits >> (64 - shift);
  to.n += n;
  to.taken += static_cast<Size>(__builtin_popcountll(bits));
}

}  // namespace

const SelectWays& select_ways([[maybe_unused]] Target target) {
  ONEFOLD_OF_TARGET(target, select_ways_of::ways);
  return plain;
}

Size Selection::place(Size k) const {
  for (Size w = 0; w < std::size(word); ++w) {
    uint64_t m = word[w];
    const auto here = static_cast<Size>(__builtin_popcountll(m));
    if (k >= here) {
      k -= here;
      continue;
    }
    for (; k > 0; --k) m &= m - 1;
    return 64 * w + static_cast<Size>(__builtin_ctzll(m));
  }
  return 0;
}

void append(Selection& to, const SelectWays& ways, const Selector& by, int64_t at, int64_t stride,
            Size n) {
  const auto all = [](Size k) { return k == 64 ? ~uint64_t{0} : (uint64_t{1} << k) - 1; };
  if (stride == 0) {
    const bool taken = gather_bits(by, at, 0, 1) != 0;
    for (Size i = 0; i < n; i += 64) {
      const Size m = n - i < 64 ? n - i : 64;
      put(to, taken ? all(m) : 0, m);
    }
    return;
  }
  if (stride == 1 && by.by == Selector::By::bytes) {
    if (to.n % 64 == 0) {
      to.taken += ways.bits(by.data + at, n, to.word + to.n / 64);
      to.n += n;
      return;
    }
    uint64_t words[Selection::most / 64];
    ways.bits(by.data + at, n, words);
    for (Size i = 0; i < n; i += 64) {
      const Size m = n - i < 64 ? n - i : 64;
      put(to, words[i / 64] & all(m), m);
    }
    return;
  }
  for (Size i = 0; i < n; i += 64) {
    const Size m = n - i < 64 ? n - i : 64;
    const int64_t from = at + static_cast<int64_t>(i) * stride;
    put(to, stride == 1 ? load_bits(by.data, from, m) : gather_bits(by, from, stride, m), m);
  }
}

}  // namespace onefold::cpu_backend
#endif
