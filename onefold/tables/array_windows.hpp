// Folds windows along one axis of an array in a file, in memory.
#pragma once

#include <string>
#include <vector>

#include "onefold/tables/asked.hpp"

namespace onefold::io {

// Whether the files are one array in a file that can be read again, and no table or text.
bool is_one_array(const std::vector<std::string>& files, const InputOptions& input);

// Answers have the shape of the array. Checks no statuses.
//   axis    asked.fold.axes; the first one by default
//   throws  bad_option: an option that has no meaning here; out_of_memory; what load_array throws
Answers fold_array_windows(const Query& query, const std::string& file, const FileRequest& asked,
                           Notes& notes);

}  // namespace onefold::io
