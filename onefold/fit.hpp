// Matrices of columns, and least squares: each number is the exact value, rounded once.
//
//   x        (n, p): rows are observations, columns are variables; (n,) is one column. Floats,
//            integers or bools with any strides, in host memory
//   exact    sums of columns and of products of two columns are exact (decision 69), so the bits
//            depend on the rows alone, not on their order, on threads or instruction sets
//   throws   shape_mismatch, type_mismatch, no_backend; bad_option: another option than those named
//   cost     docs/fit.md
#pragma once

#include <vector>

#include "onefold/fold.hpp"

namespace onefold {

// (p, p): entry (i, j) is the op `cov` of the columns i and j. A NaN or infinity makes the entries
// of its column NaN; with .nan = omit each pair leaves out its rows with a NaN, as pandas does.
//   options  .ddof, .nan, .result, .wide, .threads, .target
Answer cov_matrix(const ArrayRef& x, const Options& options = {});
// (p, p): the op `corr` of two columns; NaN for a column of equal elements.
//   options  .nan, .result, .wide, .threads, .target
Answer corr_matrix(const ArrayRef& x, const Options& options = {});
// (p, p): the op `dot` of two columns.
//   options  .nan, .result, .wide, .threads, .target
Answer gram(const ArrayRef& x, const Options& options = {});

// A least squares fit of y by k columns: an intercept, if there is one, then those of x.
struct LinearFit {
  std::vector<double> coef;            // k coefficients, the intercept first
  std::vector<double> standard_error;  // of each; NaN if dof is not positive
  double r2 = 0;            // 1 - residuals / spread of y (without an intercept: sum of y^2)
  double residual_std = 0;  // sqrt(sum of squared residuals / dof)
  Size n = 0;               // the number of rows
  int64_t dof = 0;          // n - k
  // If the columns are linearly dependent, exactly: the number, among the k columns, of the first
  // one that is a combination of those before it; all numbers are NaN then. Else `none`.
  Size dependent = none;
};

// Fits y, (n,) of x's type. NaN or an infinity in x or y makes all numbers NaN; .nan = omit leaves
// out rows with a NaN, and raise throws nan_found.
//   options  .nan, .threads, .target
//   cost     sums of k (k + 1) / 2 products, and a time that grows as k^4: 60 ms for 50 columns
LinearFit linear_fit(const ArrayRef& x, const ArrayRef& y, bool intercept = true,
                     const Options& options = {});

}  // namespace onefold
