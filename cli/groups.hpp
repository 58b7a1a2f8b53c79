// --by: folds groups, with an answer for each key.
#pragma once

#include "cli/verb.hpp"
#include "cli/writer.hpp"
#include "plan/request.hpp"

namespace onefold::cli {

// Prints a line a group: its keys, then of each column the value of each op, under a line of names
// (of several columns as temp_mean). JSON: an object a line. A group of nothing has a status where
// an op has no value for that.
//   throws  bad_option: beside --axis, --each
void fold_groups(const Request& request, const std::vector<std::string>& files,
                 const Arguments& arguments);

// Prints groups as JSON.
void print_objects(Writer& out, const io::Grouped& grouped, int precision);

}  // namespace onefold::cli
