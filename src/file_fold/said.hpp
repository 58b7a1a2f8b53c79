// Notes and errors about answers: the position of a bad one, the number of values left out.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "file_fold/group_fold.hpp"

namespace onefold::io {

// The statistics of describe: ops, and their names in its table.
struct DescribeRow {
  const char* op;
  const char* name;
};
inline constexpr DescribeRow describe_rows[] = {
    {"count", "count"}, {"count_nan", "nan"}, {"count_inf", "inf"}, {"count_zero", "zeros"},
    {"sum", "sum"},     {"mean", "mean"},     {"std", "std"},       {"var", "var"},
    {"min", "min"},     {"argmin", "argmin"}, {"max", "max"},       {"argmax", "argmax"},
    {"norm1", "norm1"}, {"norm2", "norm2"}};
// Those of groups, which have no indices: all but argmin and argmax.
std::vector<DescribeRow> describe_rows_of(bool groups);
std::string describe_ops(bool groups = false);  // "count,count_nan,..."

// A name without what may not stand in a table: tabs and line ends, and what a terminal would obey.
std::string printable(std::string_view name);

// "1,2": where element i stands in C order; empty for a shape without axes.
std::string index_text(const Dims& shape, Size i);

// Sentences about the reading: bad lines, columns of text.
std::vector<std::string> said_of(const Notes& notes);
// A note on the number of missing values, if they were left out or may have made an answer NaN;
// otherwise empty.
//   as_nan  missing values count as NaN, and the policy applies to them
std::string missing_said(const Notes& notes, const Request& request, bool as_nan);

// The text by which a message names an element of an answer: " of element [1]", empty if there is
// only one.
using PlaceText = std::function<std::string(const Answer&, Size place)>;
std::string element_text(const Answer& answer, Size place);
// The same for the answers of a table's columns: " of column temp".
PlaceText column_text(const Notes& notes);
// The same for groups: " of column temp, group Oslo 2024".
PlaceText group_text(const Grouped& grouped);

// Is a part of a key no value?
bool is_null(const Grouped& grouped, std::string_view part);

// Throws the first bad status, naming its place: an op asked for by name has no answer then.
void check_statuses(const Answers& answers, const Options& options,
                    const PlaceText& text = element_text);
void refuse_status(const Answer& answer, Size place, Status status, const Options& options,
                   const PlaceText& text = element_text);

}  // namespace onefold::io
