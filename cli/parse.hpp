// Parses the command line.
#pragma once

#include "cli/verb.hpp"

namespace onefold::cli {

// An option on the command line.
struct Given {
  const Option* option;
  std::string value;  // empty for a flag
};

struct CommandLine {
  std::vector<std::string> words;  // words other than options, in order
  std::vector<Given> given;
};

// Options may be anywhere before `--`; everything after it is a word.
//   throws  bad_option: an unknown option, an option given twice, a missing value
CommandLine take_apart(int argc, const char* const* argv);

}  // namespace onefold::cli
