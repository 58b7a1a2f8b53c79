// --each: folds every file separately and prints its answers under its name.
#pragma once

#include <functional>
#include <optional>

#include "cli/verb.hpp"
#include "onefold/engine/plan/query.hpp"

namespace onefold::cli {

// Folds the files one after another. Prints a line for each answer: the file, the index or the
// column (if there are several), the value of each op. JSON: one line for each file.
//   names   how ops are called in the output; empty: by their own names
//   checks  whether a bad status is an error
//   throws  the first error; with --keep-going after all files were tried, and then each error is
//           printed on stderr when it occurs
void fold_each(const Query& query, const std::vector<std::string>& files,
               const Arguments& arguments, std::span<const char* const> names, bool checks);

// Calls fold(file) for each file. With --keep-going an error is printed, and the next file is
// folded.
//   returns  what is to be thrown once the answers are printed
std::optional<Error> try_each(const std::vector<std::string>& files, const Arguments& arguments,
                              const std::function<void(const std::string& file)>& fold);

// throws bad_option: --each together with --output, or --keep-going without --each
void check_each(const Arguments& arguments);

}  // namespace onefold::cli
