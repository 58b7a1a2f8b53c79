#include <algorithm>
#include <cstring>

#include "onefold/cpu/select.hpp"

namespace onefold::cpu_backend {
namespace {

// Returns n <= 64 mask units as the low bits of a word.
uint64_t gather_bits(const Selector& by, int64_t at, int64_t stride, Size n) {
  uint64_t w = 0;
  if (by.by == Selector::By::bytes) {
    const std::byte* p = by.data + at;
    for (Size i = 0; i < n; ++i, p += stride) w |= static_cast<uint64_t>(*p != std::byte{0}) << i;
    return w;
  }
  for (Size i = 0; i < n; ++i, at += stride) {
    w |= static_cast<uint64_t>(std::to_integer<unsigned>(by.data[at >> 3]) >> (at & 7) & 1) << i;
  }
  return w;
}

// Returns n <= 64 neighbouring bits; reads only bytes that contain one of them.
uint64_t load_bits(const std::byte* data, int64_t at, Size n) {
  const std::byte* const p = data + (at >> 3);
  const auto shift = static_cast<Size>(at & 7), bytes = (shift + n + 7) / 8;
  uint64_t low = 0;
  std::memcpy(&low, p, bytes < 8 ? bytes : 8);
  low >>= shift;
  if (bytes > 8) low |= static_cast<uint64_t>(std::to_integer<uint8_t>(p[8])) << (64 - shift);
  return low & low_bits(n);
}

}  // namespace

// bits: must be 0 above the k lowest
void Selection::put(uint64_t bits, Size k) {
  const Size w = n / 64, shift = n % 64;
  word[w] = shift == 0 ? bits : word[w] | bits << shift;
  if (shift + k > 64) word[w + 1] = bits >> (64 - shift);
  n += k;
}

void Selection::append(const SelectWays& ways, const Selector& by, int64_t at, int64_t stride,
                       Size more) {
  const bool bytes = by.by == Selector::By::bytes, whole = n % 64 == 0;
  const bool runs = stride == 1 && bytes && more >= 16;
  if (runs && whole) {
    taken += ways.bits(by.data + at, more, word + n / 64);
    n += more;
    return;
  }
  const bool all = !by.selects() || (stride == 0 && gather_bits(by, at, 0, 1) != 0);
  if (all && whole && more != 0) {
    std::fill_n(word + n / 64, (more + 63) / 64, ~uint64_t{0});
    word[(n + more - 1) / 64] = low_bits((more - 1) % 64 + 1);
    n += more;
    taken += more;
    return;
  }
  for (Size i = 0; i < more; i += 64) {
    const Size m = more - i < 64 ? more - i : 64;
    const int64_t from = at + static_cast<int64_t>(i) * stride;
    uint64_t bits = 0;
    if (all) {
      bits = low_bits(m);
    } else if (runs) {
      ways.bits(by.data + from, m, &bits);
    } else if (stride != 0) {
      bits = stride == 1 && !bytes ? load_bits(by.data, from, m) : gather_bits(by, from, stride, m);
    }
    put(bits, m);
  }
  taken += ways.ones(word, n - more, n);
}

Size Selection::place(Size k) const {
  for (Size w = 0; w < (n + 63) / 64; ++w) {
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

}  // namespace onefold::cpu_backend
