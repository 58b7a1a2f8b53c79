// The power of ten that turns most elements of a column into integers.
#pragma once

#include "onefold/core/exact/decimal.hpp"

namespace onefold {

struct DecimalScale {
  static constexpr double magic = 0x1.8p52;  // adding and subtracting it rounds to an integer
  int decimals = 0;
  double power = 1;

  // Increases the number of decimals if a > 0 needs more of them and 15 digits suffice. Returns
  // whether it did.
  bool widen(double a) {
    decimal::Short d;
    if (!decimal::find_short(a, d)) return false;
    decimal::drop_zeros(d, decimals);
    const int k = -d.exponent;
    if (k <= decimals || a * decimal::power_of_ten(k) > decimal::most_digits) return false;
    decimals = k;
    power = decimal::power_of_ten(k);
    return true;
  }
};

}  // namespace onefold
