// Folds columns of integers that f64 cannot hold once more, as i64 or u64, so that their answers
// are exact integers too.
//
//   which   columns that the first pass left out for their integers; columns with an answer of 2^53
//           or more that is an integer where the elements are
//   cost    a further pass over the files, only if there are such columns
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onefold/engine/plan/query.hpp"
#include "onefold/fold.hpp"
#include "onefold/io/table.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {

// Whether an answer is an f64 of 2^53 or more, and an integer if the elements are integers.
bool has_long_answer(const Query& query, const Answers& answers);
bool any_overflows(const Answers& answers);
bool has_nan(const Answers& answers);
// Whether ops without a NaN of their own leave NaN out; query: as fold_long_integers has it.
bool leaves_nan_out(const std::optional<Query>& query, const Options& options);

// Replaces answers that overflow i64 or u64 by those of u64, or else by the nearest f64, if no type
// was asked for. The answers of an op that have no type of integers in common become f64, beside
// the integers that f64 does not hold.
//   fold  folds some of the ops as the integers that the columns are
void mend_overflows(const Query& query, Answers& answers,
                    const std::function<Answers(const Query& some)>& fold);

// Puts integers beside the f64 of long answers, column by column, where the columns are integers.
//   names  of the columns of the last axis
//   fold   folds columns as i64 or u64, without NaN; throws Error: they are no such integers
using FoldIntegers = std::function<Answers(const std::string& columns, DType dtype)>;
void put_integers(const Query& query, const std::vector<std::string>& names, Answers& answers,
                  const FoldIntegers& fold);

// Makes NaN of answers of nothing, as --empty-nan asks, where a column was folded as integers: the
// answer becomes f64, beside the integers that f64 does not hold.
//   query  whose indices stay errors
void make_nan_of_empty(Answer& answer);
void make_nan_of_empty(const Query& query, Answers& answers);

// Returns whether the files can be read once more for that.
bool can_fold_integers(const Query& query, const std::vector<TablePart>& parts,
                       const std::vector<std::string>& files, const InputOptions& input);

// Adds the columns' exact answers to those of the first pass, and their names to its notes.
//   notes   of the first pass, with Integers::noted
//   throws  bad_token, out_of_range: no column has answers, or one that was chosen has none
void add_long_integers(const Query& query, const TablePart& first,
                       const std::vector<std::string>& files, const InputOptions& input,
                       const Limits& limits, Answers& answers, Notes& notes);

}  // namespace onefold::io
