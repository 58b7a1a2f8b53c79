// Flaws of a kernel that its author allows, each with a reason.
#pragma once

#include <string>
#include <vector>

#include "onefold/machine/sim/report.hpp"

namespace onefold::lab {

struct Suppression {
  std::string kind;  // of the flaw: "race"
  std::string file;  // without its folder
  unsigned line = 0;
  std::string reason;
  bool in_source = false;  // a comment; else a line of --suppress
  bool used = false;

  // Whether the flaw, or the earlier access of a race, is at this line.
  bool covers(const sim::Flaw& f) const;
};

// Comments `// onefold allow race: REASON`. Each is about its own line, or about the next line if
// it stands on a line of its own.
//   throws  bad_option: a kind that is not there, no reason
std::vector<Suppression> suppressions_of_source(const std::string& file, const std::string& text);
// Lines `race sum.cu:12 REASON`; # begins a comment.
//   throws  cannot_open, bad_option
std::vector<Suppression> suppressions_of_file(const std::string& path);

}  // namespace onefold::lab
