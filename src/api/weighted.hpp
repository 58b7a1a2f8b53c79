// Statistics of weighted elements, from exact sums of products of weights and elements.
#pragma once

#include <string_view>
#include <vector>

#include "onefold/fold.hpp"

namespace onefold {

// Returns the ops that take Options::weights; with two arrays, the ops of two.
std::vector<std::string_view> weighted_ops(int inputs);

// Returns whether fold_weighted() answers this request. Otherwise there are no weights, or they
// are the second array of `average`.
bool is_weighted(std::string_view ops, const ArrayRef* y, const Options& options);

// Folds x, or pairs of x and y, with Options::weights, which broadcast to x and have its type.
//   var    sum w (x - m)^2 / sum w, m the weighted mean; std its root
//   mse    sum w (x - y)^2 / sum w; rmse its root; mae sum w |x - y| / sum w
//   cov    sum w (x - mx) (y - my) / sum w; corr, slope, intercept from such sums
//   exact  rounded once; NaN where the weights sum to 0, and for the root of a negative number
//   throws bad_option: another op, ddof, a device; type_mismatch; shape_mismatch
Answers fold_weighted(std::string_view ops, const ArrayRef& x, const ArrayRef* y,
                      const Options& options);

}  // namespace onefold
