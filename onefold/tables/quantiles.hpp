// Exact quantiles of arrays, numbers in texts and columns of tables, in bounded memory.
//
//   value   for n numbers x[0] <= .. <= x[n-1] (-0 before +0): h = q (n - 1). Method `linear`:
//           x[floor h] + (h - floor h) (x[floor h + 1] - x[floor h]), rounded once
//   type    floats: the type of the numbers; otherwise f64
//   NaN     as the policy says; missing values are left out; no numbers: NaN
//   passes  one if all numbers fit into memory. Else each pass narrows the range of keys around
//           each quantile by 16 bits until its numbers fit: two for most data, at most five
//   pipes   are read once; if more passes are needed, the error is needs_seek
#pragma once

#include <string>
#include <vector>

#include "onefold/engine/quantile/array_quantiles.hpp"
#include "onefold/engine/quantile/select.hpp"
#include "onefold/io/input.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {

//   options  nan and threads
//   returns  for each quantile one answer: one value, or a value for each column
//   throws   as fold_files
Answers quantiles_of_files(const std::vector<Quantile>& quantiles,
                           const std::vector<std::string>& files, const InputOptions& input,
                           const Options& options, const Progress& progress, const Limits& limits,
                           Notes& notes);

}  // namespace onefold::io
