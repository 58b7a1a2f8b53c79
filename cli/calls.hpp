// Prints groups of one column without a name, whose answers have names of their own.
#pragma once

#include <memory>

#include "cli/output.hpp"
#include "cli/verb.hpp"
#include "onefold/tables/group_fold.hpp"

namespace onefold::cli {

// Prints a line for each group, below a line of names, or writes the file of --output; and notes on
// stderr. JSON: an object a line, {"city": "Oslo", "sum(price)": 3.5}.
//   file  of --output; null: there is none
void give_calls(const io::Grouped& grouped, const io::Notes& notes, const Arguments& arguments,
                const std::unique_ptr<OutputFile>& file);

}  // namespace onefold::cli
