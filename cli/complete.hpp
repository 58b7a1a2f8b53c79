// What a shell offers for the word at the cursor: verbs, ops, options, and their values.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace onefold::cli {

// Returns the words that may stand in place of words[at]; none: only a file may, or nothing.
//   words  the command line, with the program's name first, as the shell has split it
std::vector<std::string> completions(std::span<const std::string> words, std::size_t at);

}  // namespace onefold::cli
