// The variance and covariance for a ddof of many bits: exact, but slow.
#include "onefold/gathered.hpp"
#include "plan/natural.hpp"

namespace onefold {
namespace {

// Returns floor(a / b) with at least `Leading::bits` bits, as (digits, exponent), and whether there
// is a remainder.
Leading quotient(Natural a, const Natural& b, int exponent) {
  if (a.empty()) return Leading();
  const int more = std::max(0, bits_of_natural(b) + Leading::bits + 1 - bits_of_natural(a));
  a = a * natural(1, more);
  const int bits = bits_of_natural(a);
  Natural q(a.size(), 0), rest;
  for (int k = bits - 1; k >= 0; --k) {
    uint32_t carry = a[static_cast<std::size_t>(k / 32)] >> k % 32 & 1;
    for (uint32_t& d : rest) {
      const uint32_t next = d >> 31;
      d = d << 1 | carry;
      carry = next;
    }
    if (carry != 0) rest.push_back(carry);
    if (less(rest, b)) continue;
    rest = rest - b;
    q[static_cast<std::size_t>(k / 32)] |= uint32_t{1} << k % 32;
  }
  trim(q);
  const int low = static_cast<int>(zeros_below(q));
  const int high = static_cast<int>(q.size()) - 1;
  Leading r = leading_digits([&](int k) { return q[static_cast<std::size_t>(k)]; }, low, high,
                             exponent - more);
  r.sticky = r.sticky || !rest.empty();
  return r;
}

// Returns spread / (n (n - k)), in units of 2^unit.
Real over_freedom(const Integer& spread, Size n, const Correction& correction, int unit) {
  const int shift = static_cast<int>(correction.shift);
  const bool negative = correction.numerator < 0;
  const auto bits = static_cast<uint64_t>(correction.numerator);
  const Natural k = natural(negative ? 0 - bits : bits);
  const auto scale = static_cast<Uint128>(correction.denominator);
  const Natural all = natural(n) * natural(scale, shift);
  if (!negative && !less(k, all)) return Real::nan();
  const Natural left = negative ? all + k : all - k;
  Real r;
  r.negative = spread.negative;
  r.numerator = quotient(spread.magnitude * natural(scale), natural(n) * left,
                         unit + shift + 32 * spread.shift);
  return r;
}

}  // namespace

Real Gathered::long_variance() const {
  const Size n = tally().n;
  return visit(dtype, [&]<class T>() {
    const Integer s = limbs_of<accumulator::sum<T>>(at(Accumulator::sum));
    const Integer q = limbs_of<accumulator::sumsq<T>>(at(Accumulator::sumsq));
    return over_freedom(integer(n) * q - s * s, n, correction, 2 * unit_of<T>);
  });
}

Real Gathered::long_covariance() const {
  const Size n = pair_tally().n;
  return visit(dtype, [&]<class T>() {
    const Integer x = limbs_of<accumulator::left_sum<T>>(at(Accumulator::left_sum)),
                  y = limbs_of<accumulator::right_sum<T>>(at(Accumulator::right_sum)),
                  p = limbs_of<accumulator::dot<T>>(at(Accumulator::dot));
    return over_freedom(integer(n) * p - x * y, n, correction, 2 * unit_of<T>);
  });
}

}  // namespace onefold
