// Parses the command line.
#pragma once

#include "cli/verb.hpp"

namespace onefold::cli {

// An option as it was given.
struct Given {
  const Option* option;
  std::string value;  // of a flag: empty
};

struct CommandLine {
  std::vector<std::string> words;  // what is no option, in order
  std::vector<Given> given;
};

// Options may stand anywhere before `--`; what follows it are words.
//   throws  bad_option: an option that no verb has, one given twice, one without its value
CommandLine take_apart(int argc, const char* const* argv);

}  // namespace onefold::cli
