// GMP's integers as ours.
#pragma once

#include <gmpxx.h>

#include "onefold/engine/fit/big_integer.hpp"

namespace onefold::test {

inline BigInteger big(const mpz_class& v) {
  BigInteger r;
  mpz_class rest = abs(v);
  for (int64_t at = 0; rest != 0; at += 64, rest >>= 64) {
    r = r + BigInteger(mpz_class(rest & mpz_class(~0ul)).get_ui()).shifted(at);
  }
  return v < 0 ? -r : r;
}

}  // namespace onefold::test
