// Fits a column of tables by others, for all rows or by keys, in one pass.
//
//   formula  'y ~ x1 + x2': names of columns of numbers; `0 +` or `- 1` leaves the intercept out.
//            --let makes other terms: --let 'square = x * x'
//   rows     in which a value is missing are left out
//   values   are those of f64, to which decimals are rounded; integers must fit it
//   memory   for each group its key, and 60 to 150 bytes for each pair of columns
#pragma once

#include <string>
#include <vector>

#include "onefold/tables/asked.hpp"

namespace onefold::io {

// Returns groups of one column without a name, whose ops are the coefficients, their errors
// "stderr(x1)", "r2", "residual_std", "n", "dof". Without --by there is one group, whose key has no
// parts.
//   asked   columns are named by the formula
//   throws  bad_option: no such formula; columns of a group are linearly dependent, unless
//           asked.fold.empty_nan, which makes NaN of its answers; nan_found; what group_files
//           throws
Grouped fit_tables(const std::string& formula, const std::vector<std::string>& files,
                   const FileRequest& asked, const Progress& progress, Notes& notes);

}  // namespace onefold::io
