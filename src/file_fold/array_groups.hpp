// Folds arrays by the keys in others: `onefold mean --by keys.npy values.npy`.
//
//   keys    one or several arrays of one axis, of integers, bools or text, as long as the first
//           axis of the folded array
//   values  have one axis; or two, and then each column is folded
//   order   of groups: by the value of the keys; text by its code points
#pragma once

#include "file_fold/group_fold.hpp"

namespace onefold::io {

// Is it "keys.npy", "a.npz:k", "a.npy,b.npy", and no names of columns?
bool names_arrays(const std::string& by);

//   throws  as group_files; shape_mismatch: keys of another length; unsupported: keys of floats
Grouped group_arrays(const Request& request, const std::vector<std::string>& files,
                     const InputOptions& input, const Progress& progress, const Limits& limits);

// Opens and checks what headers show.
//   throws  as group_arrays
FilePlan plan_group_arrays(const Request& request, const std::vector<std::string>& files,
                           const InputOptions& input);

}  // namespace onefold::io
