// Numbers of many bits with exponentials and logarithms, against which ours are judged.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "onefold/core/exact/real.hpp"

namespace onefold::test {

namespace mp = boost::multiprecision;
template <unsigned bits>
using BigFloat =
    mp::number<mp::cpp_bin_float<bits, mp::digit_base_2, void, std::int64_t>, mp::et_off>;

// Rounds to a format; a zero is +0.
template <class Big>
uint64_t rounded(Big v, FloatFormat f) {
  const bool negative = v < 0;
  if (v == 0) return 0;
  std::int64_t exponent = 0;
  const Big scaled = ldexp(frexp(negative ? Big(-v) : v, &exponent), 100), whole = floor(scaled);
  const Big high = floor(ldexp(whole, -50)), low = whole - ldexp(high, 50);
  const Uint128 mantissa = static_cast<Uint128>(static_cast<uint64_t>(high)) << 50 |
                           static_cast<Uint128>(static_cast<uint64_t>(low));
  const std::int64_t least = -5000;
  return detail::round_to_float(exponent < least ? Uint128{0} : mantissa,
                                static_cast<int>(std::max(exponent - 100, least)), whole != scaled,
                                negative, f);
}

}  // namespace onefold::test
