// Least squares from exact sums.
#pragma once

#include "onefold/engine/fit/column_sums.hpp"
#include "onefold/fit.hpp"

namespace onefold {

// Fits the last column by the others, as linear_fit of arrays does.
//   throws  nan_found: a column has a NaN, and the policy is raise
LinearFit linear_fit(const ColumnSums& sums, bool intercept, NanPolicy policy, int threads);

}  // namespace onefold
