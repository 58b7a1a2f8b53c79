// Folds arrays by the keys in other arrays: `onefold mean --by keys.npy values.npy`.
//
//   keys    one or several arrays of one axis, of integers, bools or text, as long as the first
//           axis of the folded array
//   values  have one axis, or two axes; of two axes each column is folded
//   order   groups are sorted by the value of their keys, texts by their code points
#pragma once

#include "onefold/tables/group_fold.hpp"

namespace onefold::io {

// Whether --by names arrays ("keys.npy", "a.npz:k", "a.npy,b.npy") and not columns.
bool names_arrays(const std::string& by);

//   throws  as group_files; shape_mismatch: keys of another length; unsupported: keys of floats
Grouped group_arrays(const Query& query, const std::vector<std::string>& files,
                     const InputOptions& input, const Progress& progress, const Limits& limits);

// Opens the files and checks what their headers show.
//   throws  as group_arrays
FilePlan plan_group_arrays(const Query& query, const std::vector<std::string>& files,
                           const InputOptions& input);

}  // namespace onefold::io
