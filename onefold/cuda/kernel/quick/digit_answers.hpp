// Rounds sums that are held as digits, and means of them, by integer arithmetic.
#pragma once

#include "onefold/core/exact/leading.hpp"
#include "onefold/cuda/kernel/quick/digits.hpp"

namespace onefold::kernel {

// Returns the bits of the T nearest to m 2^e, ties to even.
//   m        not 0
//   sticky   the number is slightly greater than m 2^e
template <class T>
ONEFOLD_KERNEL uint32_t nearest_bits(uint64_t m, int e, bool sticky) {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  constexpr int precision = f.mantissa_bits + 1, least = 2 - (1 << (f.exponent_bits - 1));
  const int zeros = 64 - bit_length(m), top = e + 63 - zeros;
  const uint64_t n = m << zeros;
  const uint32_t upper = static_cast<uint32_t>(n >> 32),
                 rest = static_cast<uint32_t>(n) != 0 || sticky ? 1 : 0;
  // 31 bits; the last one says whether lower bits are set.
  const uint32_t r = upper >> 1 | (upper & 1) | rest;
  const int fewer = top < least ? least - top : 0, down = 31 - precision + fewer;
  if (down > 31) return 0;
  const uint32_t q = (r + ((1u << (down - 1)) - 1) + ((r >> down) & 1)) >> down;
  const uint32_t bits = fewer > 0 ? q : (static_cast<uint32_t>(top - least) << f.mantissa_bits) + q;
  constexpr uint32_t infinity = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
  return bits < infinity ? bits : infinity;
}

// Divides by n: 32 bits of floor(m 2^(64 - 32) / n), with the top bit set, and a remainder.
struct DigitDivisor {
  WordDivisor n;  // with its top bit set
  int shift;

  ONEFOLD_KERNEL DigitDivisor(uint32_t elements, uint32_t inverse_of_launch)
      : n(elements << (32 - bit_length(static_cast<uint64_t>(elements))), inverse_of_launch),
        shift(32 - bit_length(static_cast<uint64_t>(elements))) {}
  // Computes m' 2^e' from m 2^e / n, sometimes slightly too large.
  ONEFOLD_KERNEL void divide(uint64_t& m, int& e, bool& sticky) const {
    const int zeros = 64 - bit_length(m);
    const uint64_t u = m << zeros;
    const auto q = n.divide(u >> 1);
    sticky = sticky || (u & 1) != 0 || q.rest != 0;
    m = q.quotient;
    e += 1 - zeros + shift;
  }
};

// The bits of the answer, and whether the sum proves them.
struct DigitAnswer {
  uint32_t bits;
  bool decided;
};
//   n         elements
//   inverse   for a mean: DigitDivisor's
template <class T, bool mean>
ONEFOLD_KERNEL DigitAnswer answer_of(const DigitSum<T>& sum, const DigitUnit<T>& seen, uint32_t n,
                                     uint32_t inverse) {
  using D = DigitsOf<T>;
  using A = Anchors<T>;
  constexpr uint32_t sign_bit = 1u << (8 * sizeof(T) - 1);
  constexpr uint32_t infinity = sign_bit - (1u << D::mantissa_bits),
                     not_a_number = infinity | 1u << (D::mantissa_bits - 1);
  const uint32_t a = sum.anchor;
  if ((a & A::special) != 0) {
    const uint32_t s = a & A::special;
    return {s == A::above ? infinity : s == A::below ? infinity | sign_bit : not_a_number, true};
  }
  if (sum.v == 0) {  // -0 if all elements are -0: undecided
    const bool all_negative = (a & (A::zeros | A::positive)) == A::zeros;
    return {0, (a & A::inexact) == 0 && !all_negative};
  }
  const bool negative = sum.v < 0;
  using Bits = Either<D::wide, Uint128, uint64_t>;
  const Bits whole = negative ? 0 - static_cast<Bits>(sum.v) : static_cast<Bits>(sum.v);
  const bool inexact = (a & A::inexact) != 0;
  const Bits error = inexact ? Bits{n} * 4 : Bits{0};
  if (whole <= error) return {0, false};
  const int unit = static_cast<int>((a + seen.spare) >> 23) - 127 - 22 - 23 * (D::all - 1);
  const DigitDivisor by(mean ? n : 1u, inverse);
  uint32_t bits = 0;
  bool decided = true;
  ONEFOLD_NO_UNROLL
  for (int k = 0; k < (inexact ? 2 : 1); ++k) {
    const Bits end = k == 0 ? whole - error : whole + error;
    int e = unit;
    bool sticky = false;
    uint64_t m;
    if constexpr (D::wide) {
      const int over = bit_length(end) - 64;
      if (over > 0) {
        m = static_cast<uint64_t>(end >> over);
        sticky = static_cast<Bits>(m) << over != end;
        e += over;
      } else {
        m = static_cast<uint64_t>(end);
      }
    } else {
      m = end;
    }
    if constexpr (mean) by.divide(m, e, sticky);
    const uint32_t one = nearest_bits<T>(m, e, sticky);
    decided = k == 0 || one == bits;
    bits = one;
  }
  return {negative ? bits | sign_bit : bits, decided};
}

}  // namespace onefold::kernel
