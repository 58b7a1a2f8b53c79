// Suggestions for messages: the command or option that the user may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/option.hpp"

namespace onefold::cli {

// Returns `onefold agg 'sum(x), p99(x)' t.csv` for the ops "sum,p99"; empty: agg lacks one of them.
std::string agg_instead(const std::string& ops, const std::string& file);

// Returns what a word that is not an op means: calls of agg, a group-by; empty: it is not known.
std::string command_instead(const std::string& word, const std::string& file);

// Returns the option that others call `name`: "--by" for --group-by and -b; empty: it is not known.
std::string_view option_instead(std::string_view name);

// Refuses files that do not exist, if their names show what was meant: an op, a call, numbers, an
// address, or a column of another file. Other names are left for whatever opens them.
void check_names_of_files(const Arguments& arguments, const std::vector<std::string>& files,
                          std::size_t first);

}  // namespace onefold::cli
