// onefold info FILE...: lists the arrays and columns of files.
#pragma once

#include "cli/verb.hpp"

namespace onefold::cli {

// A line for each array or column: name, type, shape, missing values; the file before them where
// there are several. JSON: a line a file.
void print_contents(const Arguments& arguments);

}  // namespace onefold::cli
