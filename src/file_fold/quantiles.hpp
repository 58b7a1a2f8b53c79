// Exact quantiles of arrays, numbers in texts and columns of tables, in bounded memory.
//
//   value   of n numbers x[0] <= .. <= x[n-1] (-0 before +0): h = q (n - 1), and
//           x[floor h] + (h - floor h) (x[floor h + 1] - x[floor h]), rounded once
//   type    that of floats; else f64
//   NaN     by the policy; missing values are left out; a quantile of nothing is NaN
//   passes  one where all numbers fit memory. Else each narrows the places of the answers by 16
//           bits of their order, until what is left fits: two of most data, five at most
//   pipes   are read once; where that does not do, needs_seek
#pragma once

#include <string>
#include <vector>

#include "file_fold/table_fold.hpp"
#include "io/input.hpp"

namespace onefold::io {

// q = part / of, exactly.
struct Quantile {
  std::string name;
  uint64_t part = 1, of = 2;  // 0 <= part <= of <= 10^15
};

//   options  nan and threads
//   returns  an answer for each quantile: one value, or one for each column
//   throws   as fold_files
Answers quantiles_of_files(const std::vector<Quantile>& quantiles,
                           const std::vector<std::string>& files, const InputOptions& input,
                           const Options& options, const Progress& progress, const Limits& limits,
                           Notes& notes);

}  // namespace onefold::io
