// Exact quantiles of the columns of tables by keys, in bounded memory.
//
//   value   as in quantiles.hpp; of each group and column
//   groups  as in group_fold.hpp
//   passes  one if all numbers fit into memory. Else the first pass counts the numbers of each
//           group; each later one finds the quantiles of as many groups as fit. A group that does
//           not fit by itself is searched as a whole column is
//   pipes   are read once; if more passes are needed, the error is needs_seek
#pragma once

#include <string>
#include <vector>

#include "onefold/engine/quantile/select.hpp"
#include "onefold/tables/group_fold.hpp"

namespace onefold::io {

//   input    `by` names columns of keys
//   options  nan and threads
//   throws   as group_files; unsupported: keys in arrays; needs_seek
Grouped group_quantiles(const std::vector<Quantile>& quantiles,
                        const std::vector<std::string>& files, const InputOptions& input,
                        const Options& options, const Progress& progress, const Limits& limits,
                        Notes& notes, const GroupOrder& order);

}  // namespace onefold::io
