// Prints groups of one column without a name, whose answers have names of their own.
#pragma once

#include <functional>

#include "cli/verb.hpp"
#include "onefold/tables/group_fold.hpp"

namespace onefold::cli {

// Folds files of tables, with a progress line, and tells `notes` what there is to say.
using FoldTables = std::function<io::Grouped(const std::vector<std::string>& files,
                                             const io::Progress& progress, io::Notes& notes)>;

// Folds the files that are named behind the first word. Prints a line for each group, below a line
// of names, or writes the file of --output; and notes on stderr. JSON: an object a line,
// {"city": "Oslo", "sum(price)": 3.5}.
//   missing  what the message says if there is no first word
void run_calls(Arguments& arguments, const char* missing, const FoldTables& fold);

}  // namespace onefold::cli
