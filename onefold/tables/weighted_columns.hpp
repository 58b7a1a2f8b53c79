// Folds columns of tables whose rows have weights, which are another column: `--weights qty`.
//
//   answer   that of the columns as arrays, by fold() or, by keys, fold_by()
//   missing  a number that is missing is left out; a row whose weight is missing, too
//   memory   all numbers and weights are read: each takes 8 bytes (f64), and the columns that are
//            folded together once more; by keys twice more, and 12 bytes a row
#pragma once

#include <string>
#include <vector>

#include "onefold/tables/asked.hpp"

namespace onefold::io {

// Whether a fold with weights is of the pairs of two columns.
bool folds_pairs(const Query& query);

// Folds `asked.input.columns`, or all columns of numbers but the weights; the first rank has the
// answers of all files. Checks no statuses.
//   returns  with keys what group_asked() returns; else one group, whose key is empty
//   throws   bad_option: an option or op that has no meaning with weights, no column but the
//            weights; out_of_memory: the columns take more memory than --memory allows; as
//            fold_files
Grouped fold_weighted(const Query& query, const std::vector<std::string>& files,
                      const FileRequest& asked, const Progress& progress, Notes& notes);

// Folds columns, each row as often as the column of `asked.fweights` says; without keys into one
// group. Checks no statuses.
//   keeps_empty  groups whose rows count 0 times are there, without elements
//   throws       as gather_groups_asked; bad_option: a weight is no whole number
Grouped fold_repeated(const Query& query, const std::vector<std::string>& files,
                      const FileRequest& asked, const Progress& progress, Notes& notes,
                      bool keeps_empty = false);

}  // namespace onefold::io
