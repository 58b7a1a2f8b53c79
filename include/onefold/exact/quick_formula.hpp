// The formula that quick numbers evaluate: a sum or a spread, divided by n and by `left`, or the
// root of that.
#pragma once

#include "onefold/base.hpp"

namespace onefold {

struct QuickFormula {
  // The meaning of a sum that counts zeros: the number of elements, of zeros, of others; whether
  // there are others; whether there are no zeros.
  enum class Count : unsigned char { none, elements, zeros, others, some_others, no_zeros };
  bool spread = false, root = false;
  double elements = 1, factor = 1, n = 1, left = 1;  // whole numbers below 2^53
  double times = 1;                                  // how often each element counts, below 2^32
  Count count = Count::none;
  friend constexpr bool operator==(const QuickFormula&, const QuickFormula&) = default;
};

// The factor by which a sum or a spread is multiplied, with a relative error of at most 2^-51; 0 if
// the formula does more.
ONEFOLD_FN constexpr double scale_of(const QuickFormula& f) {
  if (f.count != QuickFormula::Count::none || f.times != 1) return 0;
  return (f.spread ? f.factor : 1) / (f.n * f.left);
}

// Which steps of a formula code is compiled for: all, where ops are known at run time alone.
struct QuickSteps {
  bool times = true, spread = true, quotient = true, second_quotient = true, root = true;
};

}  // namespace onefold
