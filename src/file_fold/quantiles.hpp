// Exact quantiles of arrays, numbers in texts and columns of tables, in bounded memory.
//
//   value   of n numbers x[0] <= .. <= x[n-1] (-0 before +0): h = q (n - 1), and by `linear`
//           x[floor h] + (h - floor h) (x[floor h + 1] - x[floor h]), rounded once
//   type    floats: the type of the numbers; otherwise f64
//   NaN     by the policy; missing values are left out; a quantile of nothing is NaN
//   passes  one if all numbers fit memory. Otherwise each pass narrows the range of keys around
//           each quantile by 16 bits, until its numbers fit: two passes for most data, at most five
//   pipes   are read once; if more passes are needed, the error is needs_seek
#pragma once

#include <string>
#include <vector>

#include "file_fold/quantile_value.hpp"
#include "file_fold/table_fold.hpp"
#include "io/input.hpp"

namespace onefold::io {

//   options  nan and threads
//   returns  an answer for each quantile: one value, or one for each column
//   throws   as fold_files
Answers quantiles_of_files(const std::vector<Quantile>& quantiles,
                           const std::vector<std::string>& files, const InputOptions& input,
                           const Options& options, const Progress& progress, const Limits& limits,
                           Notes& notes);

// Quantiles of an array in memory, along axes: an answer for each quantile, with the shape of the
// kept axes.
//   name     the name of the caller's function, for messages
//   options  axes, keepdims, where (bytes), nan and threads; result: quantile_type, or that of x
//   memory   for each thread 8 bytes for each element of a slice; for a slice of more than 2^22
//            elements 64 MiB
//   throws   bad_option, bad_axis, shape_mismatch
Answers quantiles_of_array(const std::string& name, const std::vector<Quantile>& quantiles,
                           const ArrayRef& x, const Options& options);

}  // namespace onefold::io
