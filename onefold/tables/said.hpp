// Texts of notes and errors about answers: where a bad answer is, how many values are missing.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/tables/group_fold.hpp"

namespace onefold::io {

// The statistics of describe: their ops, and their names in the printed table.
struct DescribeRow {
  const char* op;
  const char* name;
};
inline constexpr DescribeRow describe_rows[] = {
    {"count", "count"}, {"count_nan", "nan"}, {"count_inf", "inf"}, {"count_zero", "zeros"},
    {"sum", "sum"},     {"mean", "mean"},     {"std", "std"},       {"var", "var"},
    {"min", "min"},     {"argmin", "argmin"}, {"max", "max"},       {"argmax", "argmax"},
    {"norm1", "norm1"}, {"norm2", "norm2"}};
// The statistics for groups, without argmin and argmax, as groups have no indices.
std::vector<DescribeRow> describe_rows_of(bool groups);
std::string describe_ops(bool groups = false);  // "count,count_nan,..."

// A name without tabs, line ends and the characters that a terminal obeys.
std::string printable(std::string_view name);

// The index of element i in C order: "1,2"; empty for a shape without axes.
std::string index_text(const Dims& shape, Size i);

// Sentences about how files were read, such as bad lines.
std::vector<std::string> warnings_of(const Notes& notes);
// The same, and columns of text that are left out.
std::vector<std::string> said_of(const Notes& notes);
// A note about missing values: how many were left out, or may have made an answer NaN. Empty if
// there is nothing to say.
//   as_nan  missing values count as NaN, so the policy for NaN applies
std::string missing_said(const Notes& notes, const Query& query, bool as_nan);

// Throws bad_token: a pass over the files left out other lines than the passes before it, so their
// answers are not of the same rows.
//   call  of this pass
void check_lines_left_out(const Notes& before, const Notes& now, const std::string& call);

// How a message names the element of an answer: " of element [1]". Empty if there is only one
// element.
using PlaceText = std::function<std::string(const Answer&, Size place)>;
std::string element_text(const Answer& answer, Size place);
// As above for the answers of a table's columns: " of column temp".
PlaceText column_text(const Notes& notes);
// As above for groups: " of column temp, group Oslo 2024".
PlaceText group_text(const Grouped& grouped);

// Throws bad_option: one column is a key twice, so answers would have two keys of one name.
void refuse_repeated_keys(const Grouped& grouped);

// Whether a part of a key stands for a missing value.
bool is_null(const Grouped& grouped, std::string_view part);

// Throws the first bad status with its position: the user named the op, and it has no answer. The
// status too_few of windows is not bad.
void check_statuses(const Answers& answers, const Options& options,
                    const PlaceText& text = element_text);
void refuse_status(const Answer& answer, Size place, Status status, const Options& options,
                   const PlaceText& text = element_text);

}  // namespace onefold::io
