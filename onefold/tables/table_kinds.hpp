// A container may have columns of decimals or long integers ("spelt"). Their sums need other
// accumulators, so each kind of column is folded by itself, and the answers are joined.
#pragma once

#include <functional>

#include "onefold/tables/table_fold.hpp"

namespace onefold::io {

// Returns the answers of one kind's tables. If they are spelt, `request` asks for decimals.
using FoldKind =
    std::function<Answers(const Query& query, const std::vector<TablePart>& parts, Notes& notes)>;

//   parts  tables with the same columns; some columns are spelt, others are not
//   fold   returns answers whose last axis has the columns
Answers fold_kinds(const Query& query, const std::vector<TablePart>& parts, Notes& notes,
                   const FoldKind& fold);

}  // namespace onefold::io
