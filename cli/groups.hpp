// --by: folds groups, with an answer for each key.
#pragma once

#include "cli/verb.hpp"
#include "cli/writer.hpp"
#include "plan/request.hpp"

namespace onefold::cli {

// Prints a line for each group: its keys, then for each column the value of each op, below a line
// of names (temp_mean if there are several columns). JSON: an object a line. A group without
// elements has a status if the op has no value then.
//   throws  bad_option: together with --axis or --each
void fold_groups(const Request& request, const std::vector<std::string>& files,
                 const Arguments& arguments);

// Prints groups as JSON.
void print_objects(Writer& out, const io::Grouped& grouped, int precision);

}  // namespace onefold::cli
