// The formula that quick numbers evaluate: a sum or a spread (n Q - S^2), divided by n and by
// `left`, or the square root of that.
#pragma once

#include "onefold/core/base.hpp"

namespace onefold {

struct QuickFormula {
  // What a sum that counts zeros is used for: the number of elements, of zeros or of other
  // elements; whether there are others; whether there are no zeros.
  enum class Count : unsigned char { none, elements, zeros, others, some_others, no_zeros };
  bool spread = false, root = false;
  bool corrected = false;  // ratios of moments: the estimate from a sample
  double elements = 1, factor = 1, n = 1, left = 1;  // integers below 2^53
  double times = 1;                                  // how often each element counts; below 2^32
  Count count = Count::none;
  friend constexpr bool operator==(const QuickFormula&, const QuickFormula&) = default;
};

// Returns the factor that a formula applies to a sum or a spread, with a relative error of at most
// 2^-51. Returns 0 if the formula does more than multiply.
ONEFOLD_FN constexpr double scale_of(const QuickFormula& f) {
  if (f.count != QuickFormula::Count::none || f.times != 1) return 0;
  return (f.spread ? f.factor : 1) / (f.n * f.left);
}

// The steps of a formula that code is compiled for. If ops are known only at run time: all.
struct QuickSteps {
  bool times = true, spread = true, quotient = true, second_quotient = true, root = true;
};

}  // namespace onefold
