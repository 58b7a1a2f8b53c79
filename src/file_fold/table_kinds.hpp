// Columns of a container that are spelt (decimals, long integers) and its other columns: their sums
// need other accumulators, so each kind is folded by itself, and the answers are joined.
#pragma once

#include <functional>

#include "file_fold/table_fold.hpp"

namespace onefold::io {

// The answers of one kind's tables. `request` takes decimals where the kind is spelt.
using FoldKind = std::function<Answers(const Request& request, const std::vector<TablePart>& parts,
                                       Notes& notes)>;

//   parts  tables of the same columns, of which some are spelt and some are not
//   fold   gives answers of which the last axis is that of the columns
Answers fold_kinds(const Request& request, const std::vector<TablePart>& parts, Notes& notes,
                   const FoldKind& fold);

}  // namespace onefold::io
