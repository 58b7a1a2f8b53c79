// --by: folds groups, with an answer for each key.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/verb.hpp"
#include "cli/writer.hpp"
#include "onefold/engine/plan/query.hpp"
#include "onefold/tables/time_fold.hpp"

namespace onefold::cli {

// Prints a line for each group: its keys, then for each column the value of each op, below a line
// of names (temp_mean if there are several columns). JSON: an object a line. A group without
// elements has a status if the op has no value then.
// With --each the groups of all files, and the file's name as the first key.
//   throws  bad_option: together with --axis
void fold_groups(const Query& query, const std::vector<std::string>& files,
                 const Arguments& arguments);

// Folds columns of times, with or without --by, and prints them as fold_groups does. Without keys
// it prints a line for each column, or only the value.
void fold_times(const Query& query, const std::vector<std::string>& files,
                const Arguments& arguments);

// Folds columns of times, then the other columns, and prints all in the order of --columns.
//   throws  bad_option: together with --each, --sort, --top or --no-sort
void fold_beside_times(const Query& query, const std::vector<std::string>& files,
                       const Arguments& arguments, const io::TimeColumns& columns);

// Prints the answers of groups or of texts, or writes the file of --output.
//   file  of --output; null: there is none
void give_groups(const io::Grouped& grouped, const Arguments& arguments,
                 std::unique_ptr<OutputFile>& file);

// Prints groups as JSON.
void print_objects(Writer& out, const io::Grouped& grouped, int precision);

// Prints rows without keys as JSON, an object for each row: {"price": {"mean": 1.5}}.
void print_rows(Writer& out, const io::Grouped& rows, int precision);

}  // namespace onefold::cli
