// A decimal number of any length, as a text spells it.
#pragma once

#include <string_view>
#include <vector>

#include "onefold/engine/plan/decimal_terms.hpp"

namespace onefold::capi {

struct SpeltDecimal {
  double near = 0;                      // the nearest double
  std::vector<DecimalTerm> terms = {};  // all digits, if `near` alone stands for other ones
};

// Reads [+-]digits[.digits][e[+-]digits], nan or [+-]inf[inity].
//   throws  bad_option: it is no such number; out_of_range: the double would be infinite, or there
//           are digits below 10^-1080
SpeltDecimal decimal_of(std::string_view text);

}  // namespace onefold::capi
