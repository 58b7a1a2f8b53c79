// The formula that quick numbers evaluate: a sum or a spread, divided by n and by `left`, or the
// root of that.
#pragma once

#include "onefold/base.hpp"

namespace onefold {

struct QuickFormula {
  // Of a sum that counts the zeros among the elements: how many those are, the zeros, or the
  // others; whether there are others, whether there are no zeros.
  enum class Count : unsigned char { none, elements, zeros, others, some_others, no_zeros };
  bool spread = false, root = false;
  double elements = 1, factor = 1, n = 1, left = 1;  // whole numbers below 2^53
  double times = 1;                                  // how often each element counts, below 2^32
  Count count = Count::none;
  friend constexpr bool operator==(const QuickFormula&, const QuickFormula&) = default;
};

// What a sum or a spread is multiplied by, within 2^-51 of it; 0 where more is done to it.
ONEFOLD_FN constexpr double scale_of(const QuickFormula& f) {
  if (f.count != QuickFormula::Count::none || f.times != 1) return 0;
  return (f.spread ? f.factor : 1) / (f.n * f.left);
}

// Which steps of a formula code is compiled for: all, where ops are known at run time alone.
struct QuickSteps {
  bool times = true, spread = true, quotient = true, second_quotient = true, root = true;
};

}  // namespace onefold
