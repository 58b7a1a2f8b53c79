// Integers as residues modulo small coprime numbers, and back. Sums of products of residues are
// sums of products of 8-bit integers, which tensor cores and processors compute quickest:
// docs/decisions/0067-matrix-products.md.
//
//   moduli   at most 256, so that residues from -(p - 1) / 2 (-128) on are int8
//   product  M, of the first n moduli. An integer v, |v| <= 0.496 M, is known by n residues
//   back     v = sum of (M / p) y_p - q M with y_p = v / (M / p) modulo p. One factor's residues
//            are divided by M / p beforehand, so sums of products are y_p
//   source   Garner's and Chinese remainders: Knuth, TAOCP 2, 4.3.2
#pragma once

#include "onefold/core/exact/real.hpp"

#if defined(__CUDACC__)
#define ONEFOLD_UNROLLED _Pragma("unroll")
#else
#define ONEFOLD_UNROLLED
#endif

namespace onefold::residues {

inline constexpr int most_moduli = 26;
ONEFOLD_FN constexpr uint32_t modulus(int t) {
  constexpr uint32_t p[most_moduli] = {256, 255, 253, 251, 247, 241, 239, 233, 229,
                                       227, 223, 217, 211, 199, 197, 193, 191, 181,
                                       179, 173, 167, 163, 157, 151, 149, 139};
  return p[t];
}

// Sums of so many products of two residues fit 32 bits; modulo 256 they may wrap once, to -2^31,
// which is the same residue. With the residue of least magnitude of other sums they fit, too.
inline constexpr Size most_terms = Size{1} << 17;

// Returns v modulo p, or that + p, for any v; `inverse` is floor(2^32 / p).
ONEFOLD_FN constexpr uint32_t reduce(uint32_t v, uint32_t p, uint32_t inverse) {
  return v - static_cast<uint32_t>(uint64_t{v} * inverse >> 32) * p;
}
ONEFOLD_FN constexpr uint32_t inverse_of(uint32_t p) {
  return static_cast<uint32_t>((uint64_t{1} << 32) / p);
}
// Returns v modulo p, v < 2^24 + p: rounded up, the inverse gives the quotient.
ONEFOLD_FN constexpr uint32_t reduce_short(uint32_t v, uint32_t p) {
  const auto inverse = static_cast<uint32_t>(((uint64_t{1} << 32) + p - 1) / p);
  return v - static_cast<uint32_t>(uint64_t{v} * inverse >> 32) * p;
}
// Returns v - p if v >= p, for v < 2 p.
ONEFOLD_FN constexpr uint32_t below(uint32_t v, uint32_t p) { return v >= p ? v - p : v; }
// Returns v modulo p, v < 2^64, or that + p.
ONEFOLD_FN constexpr uint32_t reduce_wide(uint64_t v, uint32_t p, uint32_t inverse) {
  const auto high = static_cast<uint32_t>(v >> 32), low = static_cast<uint32_t>(v);
  if (high == 0) return reduce(low, p, inverse);
  const uint32_t digit = 0 - inverse * p;  // 2^32 modulo p
  return reduce(reduce(high, p, inverse) * digit + reduce(low, p, inverse), p, inverse);
}
// Returns the residue of least magnitude; v < p.
ONEFOLD_FN constexpr int8_t signed_residue(uint32_t v, uint32_t p) {
  return static_cast<int8_t>(static_cast<int32_t>(v) -
                             (v > (p - 1) / 2 ? static_cast<int32_t>(p) : 0));
}

// Returns the residue of least magnitude of a sum of 32 signed bits.
ONEFOLD_FN constexpr int32_t residue_of(int32_t sum, uint32_t p) {
  constexpr uint32_t lifted = uint32_t{1} << 31;  // makes the sum unsigned
  const uint32_t v = reduce(static_cast<uint32_t>(sum) ^ lifted, p, inverse_of(p)) + p - lifted % p;
  return signed_residue(below(below(v, p), p), p);
}

// Returns a sum of up to short_terms products modulo p.
inline constexpr Size short_terms = 512;
ONEFOLD_FN constexpr uint32_t residue_of_short(int32_t sum, uint32_t p) {
  constexpr uint32_t most = short_terms << 14;
  return reduce_short(static_cast<uint32_t>(sum) + (most + p - 1) / p * p, p);
}

// The constants of the first n moduli, as digits of 32 bits, the lowest first.
template <int n>
struct Moduli {
  static_assert(n <= most_moduli);
  // Sums of y_p (M / p), y_p < 3 p, are below 78 M.
  static constexpr int bits = [] {
    double product = 1;
    int e = 0;
    for (int t = 0; t < n; ++t) {
      product *= modulus(t);
      for (; product >= 2; product /= 2) ++e;
    }
    return e + 1;  // M < 2^bits
  }();
  static constexpr int digits = (bits + 7 + 31) / 32;

  uint32_t all[digits] = {};       // M
  uint32_t share[n][digits] = {};  // M / p
  uint32_t divisor[n] = {};        // 1 / (M / p) modulo p
  uint32_t lift[n] = {};           // p - 2^31 modulo p: makes 32 signed bits of a sum unsigned
  float per = 0;                   // 2^(32 (digits - 2)) / M
  float limit = 0;                 // log2 of 0.496 M, rounded down

  ONEFOLD_FN constexpr Moduli() {
    multiply(all, -1);
    double top = 0;
    for (int k = digits; k-- > 0;) top = top * 0x1p32 + all[k];
    double scale = 1;
    for (int k = 0; k < digits - 2; ++k) scale *= 0x1p32;
    per = static_cast<float>(scale / top);
    limit = log2_of(top) - 1.0116f;
    for (int t = 0; t < n; ++t) {
      const uint32_t p = modulus(t);
      multiply(share[t], t);
      uint32_t rest = 1;
      for (int other = 0; other < n; ++other) {
        if (other != t) rest = rest * modulus(other) % p;
      }
      for (uint32_t i = 1; i < p; ++i) {
        if (i * rest % p == 1) divisor[t] = i;
      }
      lift[t] = p - (uint32_t{1} << 31) % p;
    }
  }

 private:
  ONEFOLD_FN static constexpr void multiply(uint32_t (&product)[digits], int skipped) {
    product[0] = 1;
    for (int t = 0; t < n; ++t) {
      uint64_t carry = 0;
      for (int k = 0; k < digits && t != skipped; ++k) {
        carry += uint64_t{product[k]} * modulus(t);
        product[k] = static_cast<uint32_t>(carry);
        carry >>= 32;
      }
    }
  }
  ONEFOLD_FN static constexpr float log2_of(double v) {
    int e = 0;
    for (; v >= 2; v /= 2) ++e;
    double fraction = 0;
    for (double bit = 0.5; bit > 0x1p-16; bit /= 2) {
      v *= v;
      if (v < 2) continue;
      fraction += bit;
      v /= 2;
    }
    return static_cast<float>(e + fraction);
  }
};
template <int n>
inline constexpr Moduli<n> moduli{};

// An integer's sign and magnitude.
template <int digits>
struct Value {
  uint32_t digit[digits];  // the lowest first
  bool negative;

  ONEFOLD_FN constexpr bool zero() const {
    uint32_t any = 0;
    ONEFOLD_UNROLLED
    for (int k = 0; k < digits; ++k) any |= digit[k];
    return any == 0;
  }
  // Returns the integer as 64 bits, or `overflow`.
  ONEFOLD_FN constexpr Rounded integer(bool is_signed) const {
    const uint64_t low = uint64_t{digit[1]} << 32 | digit[0];
    uint32_t high = 0;
    ONEFOLD_UNROLLED
    for (int k = 2; k < digits; ++k) high |= digit[k];
    const uint64_t most =
        !is_signed ? (negative ? 0 : ~uint64_t{0}) : (uint64_t{1} << 63) - (negative ? 0 : 1);
    if (high != 0 || low > most) return {0, Status::overflow};
    return {negative ? 0 - low : low, Status::ok};
  }
  // Returns the bits of the value times 2^exponent, rounded; the value is not 0.
  ONEFOLD_FN constexpr uint64_t round(int exponent, FloatFormat f) const {
    uint32_t d[digits];
    ONEFOLD_UNROLLED
    for (int k = 0; k < digits; ++k) d[k] = digit[k];
    // The highest digit that is not 0 moves to the top.
    ONEFOLD_UNROLLED
    for (int moved = 1; moved < digits; ++moved) {
      if (d[digits - 1] != 0) continue;
      exponent -= 32;
      ONEFOLD_UNROLLED
      for (int k = digits - 1; k > 0; --k) d[k] = d[k - 1];
      d[0] = 0;
    }
    constexpr int third = digits > 2 ? digits - 3 : 0;
    const int shift = 64 - bit_length(uint64_t{d[digits - 1]} << 32);
    const uint64_t top = uint64_t{d[digits - 1]} << 32 | d[digits - 2],
                   next = uint64_t{digits > 2 ? d[third] : 0} << 32;
    const uint64_t mantissa = shift == 0 ? top : top << shift | next >> (64 - shift);
    bool sticky = next << shift != 0;
    ONEFOLD_UNROLLED
    for (int k = 0; k < digits - 3; ++k) sticky = sticky || d[k] != 0;
    return detail::round_leading(mantissa, exponent + 32 * (digits - 2) - shift, sticky, negative,
                                 f);
  }
};

// Returns y_p, or up to 2 p more, of a sum of products of residues modulo modulus(t).
template <int n>
ONEFOLD_FN constexpr uint32_t term_of(int t, int32_t sum) {
  constexpr const Moduli<n>& c = moduli<n>;
  const uint32_t p = modulus(t);
  return reduce(static_cast<uint32_t>(sum) ^ 0x80000000u, p, inverse_of(p)) + c.lift[t];
}

// Returns the integer with these residues.
//   terms(t)  y_p of modulus(t), or up to 2 p more
template <int n, class Terms>
ONEFOLD_FN constexpr Value<Moduli<n>::digits> value_of(Terms terms) {
  constexpr const Moduli<n>& c = moduli<n>;
  constexpr int digits = Moduli<n>::digits;
  uint64_t s[digits] = {};
  ONEFOLD_UNROLLED
  for (int t = 0; t < n; ++t) {
    const uint32_t y = terms(t);
    ONEFOLD_UNROLLED
    for (int k = 0; k < digits; ++k) s[k] += uint64_t{c.share[t][k]} * y;
  }
  Value<digits> v{};
  ONEFOLD_UNROLLED
  for (int k = 0; k < digits; ++k) {
    v.digit[k] = static_cast<uint32_t>(s[k]);
    if (k + 1 < digits) s[k + 1] += s[k] >> 32;
  }
  // The nearest integer to the sum / M; it is below 78.
  const float quotient = (static_cast<float>(v.digit[digits - 1]) * 0x1p32f +
                          static_cast<float>(v.digit[digits - 2])) *
                         c.per;
  const auto q = static_cast<uint32_t>(quotient + 0.5f);
  int64_t rest = 0;
  ONEFOLD_UNROLLED
  for (int k = 0; k < digits; ++k) {
    rest += static_cast<int64_t>(v.digit[k]) - static_cast<int64_t>(uint64_t{q} * c.all[k]);
    v.digit[k] = static_cast<uint32_t>(rest);
    rest >>= 32;
  }
  v.negative = rest < 0;
  uint32_t carry = v.negative ? 1 : 0;
  const uint32_t flip = 0 - carry;
  ONEFOLD_UNROLLED
  for (int k = 0; k < digits; ++k) {
    v.digit[k] = (v.digit[k] ^ flip) + carry;
    carry = carry != 0 && v.digit[k] == 0 ? 1 : 0;
  }
  return v;
}

}  // namespace onefold::residues
