// --each: folds every file separately and prints its answers under its name.
#pragma once

#include "cli/verb.hpp"
#include "plan/request.hpp"

namespace onefold::cli {

// Folds the files one after another and prints a line for each answer: the file, what of it (the
// index or the column, where there are several), the value of each op. JSON: a line a file.
//   names   what the ops are called there; empty: as they are
//   checks  whether a bad status is an error
//   throws  the first error; with --keep-going after all files have been tried, each error being
//           said on stderr when it comes
void fold_each(const Request& request, const std::vector<std::string>& files,
               const Arguments& arguments, std::span<const char* const> names, bool checks);

// throws bad_option: --each with --output, --keep-going without --each
void check_each(const Arguments& arguments);

}  // namespace onefold::cli
