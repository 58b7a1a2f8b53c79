// Flaws of a kernel that its author allows, each with a reason.
#pragma once

#include <string>
#include <vector>

#include "onefold/machine/sim/report.hpp"

namespace onefold::lab {

struct Suppression {
  std::string kind;  // the flaw's kind: "race"
  std::string file;  // without its folder
  unsigned line = 0;
  std::string reason;
  bool in_source = false;  // from a comment; otherwise from a line of --suppress
  bool used = false;

  // Returns whether the flaw, or a race's earlier access, is at this line.
  bool covers(const sim::Flaw& f) const;
};

// Reads comments `// onefold allow race: REASON`. Each concerns its own line, or the next line if
// it stands alone.
//   throws  bad_option: an unknown kind, or no reason
std::vector<Suppression> suppressions_of_source(const std::string& file, const std::string& text);
// Reads lines `race sum.cu:12 REASON`; # begins a comment.
//   throws  cannot_open, bad_option
std::vector<Suppression> suppressions_of_file(const std::string& path);

}  // namespace onefold::lab
