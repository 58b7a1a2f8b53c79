// onefold info FILE...: lists the arrays and columns of files.
#pragma once

#include "cli/verb.hpp"

namespace onefold::cli {

// Prints a line for each array or column: name, type, shape, missing values; if there are several
// files, the file's name comes first. JSON: one line for each file.
void print_contents(const Arguments& arguments);

}  // namespace onefold::cli
