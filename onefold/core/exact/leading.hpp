// A number's leading bits, which are all that rounding needs.
//
//   value    (the digits as an integer + a fraction in [0, 1), not 0 if `sticky`) * 2^exponent
//   digits   320 bits, the highest digit first with its top bit set; for zero, all digits are 0
//   exact    lower bits are not kept, only whether all are zero; floors of quotients and roots
//            need no more
#pragma once

#include "onefold/core/base.hpp"

// Users wait while device code is compiled, so code that runs once is not inlined or unrolled.
#if defined(__CUDACC__)
#define ONEFOLD_COLD __noinline__
#define ONEFOLD_ROLLED _Pragma("unroll 1")
#else
#define ONEFOLD_COLD
#define ONEFOLD_ROLLED
#endif

namespace onefold {

struct Leading {
  static constexpr int size = 10;
  static constexpr int bits = 32 * size;
  uint32_t digit[size] = {};
  int exponent = 0;
  bool sticky = false;

  ONEFOLD_FN constexpr Leading() {}
  // Makes the number v * 2^e.
  ONEFOLD_FN constexpr explicit Leading(Uint128 v, int e = 0) {
    if (v == 0) return;
    if ((v >> 64) == 0) {  // compilers often know this branch
      const int shift = 64 - bit_length(static_cast<uint64_t>(v));
      const uint64_t top = static_cast<uint64_t>(v) << shift;
      digit[0] = static_cast<uint32_t>(top >> 32);
      digit[1] = static_cast<uint32_t>(top);
      exponent = e - shift - (bits - 64);
      return;
    }
    const int shift = 128 - bit_length(v);
    v <<= shift;
    digit[0] = static_cast<uint32_t>(v >> 96);
    digit[1] = static_cast<uint32_t>(v >> 64);
    digit[2] = static_cast<uint32_t>(v >> 32);
    digit[3] = static_cast<uint32_t>(v);
    exponent = e - shift - (bits - 128);
  }
  ONEFOLD_FN constexpr bool zero() const { return digit[0] == 0; }
  // Returns `top` such that 2^(top - 1) <= value < 2^top.
  ONEFOLD_FN constexpr int top() const { return exponent + bits; }
  // Returns the leading 128 bits; `sticky` says whether lower bits are set.
  ONEFOLD_FN constexpr Uint128 high() const {
    return static_cast<Uint128>(static_cast<uint64_t>(digit[0]) << 32 | digit[1]) << 64 |
           (static_cast<uint64_t>(digit[2]) << 32 | digit[3]);
  }
  ONEFOLD_FN constexpr bool below_high() const {
    uint32_t any = sticky;
    for (int k = 4; k < size; ++k) any |= digit[k];
    return any != 0;
  }
};

// Makes the number from digits of weight 2^(unit + 32 k). at(k) gives them for low <= k <= high;
// all others are 0. at(high) and at(low) are not 0.
template <class At>
ONEFOLD_FN constexpr Leading leading_digits(At at, int low, int high, int unit) {
  Leading r;
  const uint32_t first = at(high);
  const int shift = 32 - bit_length(uint64_t{first});
  uint64_t pair = first;
  ONEFOLD_ROLLED
  for (int k = 0; k < Leading::size; ++k) {
    const int next = high - k - 1;
    pair = pair << 32 | (next >= low ? at(next) : 0u);
    r.digit[k] = static_cast<uint32_t>(pair >> (32 - shift));
  }
  r.sticky = low < high - Leading::size || static_cast<uint32_t>(pair << shift) != 0;
  r.exponent = unit + 32 * (high - Leading::size + 1) - shift;
  return r;
}

// Divides 64 bits by a divisor of 32 bits whose top bit is set, without an instruction of f64, of
// which some GPUs have few: Moeller and Granlund, IEEE Trans. on Computers 60(2), algorithm 4.
struct WordDivisor {
  uint32_t d, inverse;  // 2^64 / d - 2^32

  ONEFOLD_FN constexpr explicit WordDivisor(uint32_t divisor)
      : WordDivisor(divisor, static_cast<uint32_t>(~uint64_t{0} / divisor - (uint64_t{1} << 32))) {}
  ONEFOLD_FN constexpr WordDivisor(uint32_t divisor, uint32_t its_inverse)
      : d(divisor), inverse(its_inverse) {}
  // Returns u / d, and its remainder; u < 2^32 d.
  struct Result {
    uint32_t quotient, rest;
  };
  ONEFOLD_FN constexpr Result divide(uint64_t u) const {
    const uint64_t wide = static_cast<uint64_t>(inverse) * (u >> 32) + u;
    uint32_t q = static_cast<uint32_t>(wide >> 32) + 1, rest = static_cast<uint32_t>(u) - q * d;
    if (rest > static_cast<uint32_t>(wide)) {
      --q;
      rest += d;
    }
    if (rest >= d) {
      ++q;
      rest -= d;
    }
    return {q, rest};
  }
};

// Returns the leading bits of floor(a / divisor), for 0 < divisor < 2^96.
//   digits   how many digits of the quotient to compute, at most 7; with 3, 64 bits are right
//   method   Knuth's algorithm D: a digit is estimated from 64 bits of the remainder and 32 of
//            the divisor; it is at most 2 too large
ONEFOLD_FN ONEFOLD_COLD constexpr Leading divide(const Leading& a, Uint128 divisor, int digits) {
#if !defined(__CUDA_ARCH__)
  // A processor divides 128 bits by 64 bits in a third of this algorithm's time.
  if ((divisor >> 64) == 0 && digits == 3) {
    const auto d = static_cast<uint64_t>(divisor);
    Leading q(a.high() / d, a.exponent + Leading::bits - 128);
    q.sticky = a.below_high() || a.high() % d != 0;
    return q;
  }
#endif
  const int shift = 96 - bit_length(divisor);
  const Uint128 v = divisor << shift;
  const WordDivisor top(static_cast<uint32_t>(v >> 64));
  Uint128 rest = static_cast<Uint128>(a.digit[0]) << 64 |
                 (static_cast<uint64_t>(a.digit[1]) << 32 | a.digit[2]);
  uint32_t carry = 0;  // the bit that overflows above the first digit
  if (rest >= v) {
    rest -= v;
    carry = 1;
  }
  Leading r;
  r.sticky = a.sticky;
  ONEFOLD_ROLLED
  for (int k = 0; k < Leading::size - 3; ++k) {
    const uint32_t next = a.digit[k + 3];
    if (k >= digits) {
      r.sticky = r.sticky || next != 0;
      continue;
    }
    rest = rest << 32 | next;
    const auto u = static_cast<uint64_t>(rest >> 64);
    uint32_t q = u >> 32 >= top.d ? 0xffffffffu : top.divide(u).quotient;
    Uint128 product = v * q;
    while (product > rest) {
      product -= v;
      --q;
    }
    rest -= product;
    r.digit[k] = q;
  }
  r.sticky = r.sticky || rest != 0;
  r.exponent = a.exponent + shift - 96;
  if (carry != 0) {
    ONEFOLD_ROLLED
    for (int k = Leading::size - 1; k > 0; --k) {
      r.digit[k] = r.digit[k] >> 1 | r.digit[k - 1] << 31;
    }
    r.digit[0] = r.digit[0] >> 1 | 0x80000000u;
    ++r.exponent;
  }
  return r;
}

// A quotient's leading 128 bits, rounded down, and whether there is a remainder.
struct Quotient {
  Uint128 floor;
  bool rest;
};
// Returns m / divisor by digits of 32 bits.
ONEFOLD_FN constexpr Quotient divide_by_word(Uint128 m, uint32_t divisor) {
  const int shift = 32 - bit_length(uint64_t{divisor});
  const WordDivisor by(divisor << shift);
  Quotient q{0, false};
  uint32_t rest = static_cast<uint32_t>(m >> 96 >> (32 - shift));
  m <<= shift;
  for (int k = 3; k >= 0; --k) {
    const auto one = by.divide(uint64_t{rest} << 32 | static_cast<uint32_t>(m >> 32 * k));
    rest = one.rest;
    q.floor = q.floor << 32 | one.quotient;
  }
  q.rest = rest != 0;
  return q;
}

// Returns -1, 0 or 1 for a < b, a = b, a > b. Sticky bits are not allowed.
ONEFOLD_FN ONEFOLD_COLD constexpr int compare(const Leading& a, const Leading& b) {
  if (a.zero() || b.zero()) return static_cast<int>(b.zero()) - static_cast<int>(a.zero());
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  ONEFOLD_ROLLED
  for (int k = 0; k < Leading::size; ++k) {
    if (a.digit[k] != b.digit[k]) return a.digit[k] < b.digit[k] ? -1 : 1;
  }
  return 0;
}

// Returns a + b, or a - b if `minus`. a >= b; both have at most 128 bits and no sticky bits.
ONEFOLD_FN ONEFOLD_COLD constexpr Leading combine(const Leading& a, const Leading& b, bool minus) {
  if (b.zero()) return a;
  // Both become integers of 10 digits, with one free digit above `a`. Bits of b that drop out lie
  // 160 bits below a's lowest bit, so only the sticky bit must remember them.
  const int gap = a.exponent - b.exponent, words = gap / 32, shift = gap % 32;
  uint32_t sum[Leading::size + 1] = {};  // the lowest digit first
  bool lost = false;
  const auto moved = [&](int k) {  // digit k of b (0: lowest), moved down by `gap`
    const int from = k + words;
    const auto at = [&](int j) -> uint64_t {
      return j < Leading::size ? b.digit[Leading::size - 1 - j] : 0;
    };
    return static_cast<uint32_t>((at(from + 1) << 32 | at(from)) >> shift);
  };
  ONEFOLD_ROLLED
  for (int j = 0; j < Leading::size; ++j) {
    const uint64_t d = b.digit[Leading::size - 1 - j];
    if (j < words) {
      lost = lost || d != 0;
    } else if (j == words) {
      lost = lost || (d & ((uint64_t{1} << shift) - 1)) != 0;
    }
  }
  int64_t c = minus && lost ? -1 : 0;
  ONEFOLD_ROLLED
  for (int k = 0; k < Leading::size; ++k) {
    const auto d = static_cast<int64_t>(moved(k));
    c += int64_t{a.digit[Leading::size - 1 - k]} + (minus ? -d : d);
    sum[k] = static_cast<uint32_t>(c);
    c >>= 32;
  }
  sum[Leading::size] = static_cast<uint32_t>(c);
  int low = 0, high = Leading::size;
  while (high >= 0 && sum[high] == 0) --high;
  if (high < 0) return Leading();
  while (sum[low] == 0) ++low;
  Leading r = leading_digits([&](int k) { return sum[k]; }, low, high, a.exponent);
  r.sticky = r.sticky || lost;
  return r;
}

// Returns floor(sqrt(v)): 16 bits of the root, then 32 and 64, each time by one division:
// Zimmermann, "Karatsuba square root", INRIA RR-3805.
ONEFOLD_FN ONEFOLD_COLD constexpr uint64_t integer_sqrt(Uint128 v) {
  if (v == 0) return 0;
  const int shift = (128 - bit_length(v)) & ~1;
  const Uint128 n = v << shift;
  const auto high = static_cast<uint64_t>(n >> 64);
  const auto top = static_cast<uint32_t>(high >> 32), next = static_cast<uint32_t>(high);
  uint32_t s = 0;
  ONEFOLD_ROLLED
  for (uint32_t bit = 1u << 15; bit != 0; bit >>= 1) {
    if ((s | bit) * (s | bit) <= top) s |= bit;
  }
  const uint32_t q = ((top - s * s) << 15 | next >> 17) / s;
  uint32_t half = s << 16 | (q >> 16 != 0 ? 0xffffu : q);
  while (uint64_t{half} * half > high) --half;
  while (half != ~0u && (uint64_t{half} + 1) * (uint64_t{half} + 1) <= high) ++half;
  const uint64_t rest = (high - uint64_t{half} * half) << 31 | static_cast<uint64_t>(n) >> 33;
  uint64_t root =
      uint64_t{half} << 32 | (rest >> 32 >= half ? ~0u : WordDivisor(half).divide(rest).quotient);
  while (static_cast<Uint128>(root) * root > n) --root;
  while (root != ~uint64_t{0} && (static_cast<Uint128>(root) + 1) * (root + 1) <= n) ++root;
  return root >> shift / 2;
}

}  // namespace onefold
