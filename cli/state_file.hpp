// Files of states: the bytes of State::save, after a line with the numbers of the parts, if parts
// have numbers.
//
//   onefold-parts 1-3,7 af9a84a0      and the CRC-32 of the list; then the state
//   onefold-parts 1-3,7/8 3f15c646    of 8 shares
//
// Files of old versions have no checksum in that line; they are read, too.
#pragma once

#include <string>
#include <vector>

#include "api/ranges.hpp"
#include "cli/print.hpp"
#include "cli/verb.hpp"
#include "plan/table.hpp"

namespace onefold::cli {

// Numbers of parts: "1..1000" or "1-3,7". throws bad_option
Ranges parse_parts(const char* option, const std::string& text);
std::string parts_text(const Ranges& parts);

struct StateFile {
  State state;
  Ranges parts;         // empty: they have no numbers
  uint64_t shares = 0;  // how many there are; 0: nobody said
};

// throws cannot_open, bad_state
StateFile load_state(const std::string& path);
// throws cannot_write
void save_state(const std::string& path, const StateFile& state);

// All of them together, one file after another. A folder stands for all files *.of in it, in any
// order; their names are not held.
//   throws  overlap: a part twice; bad_state: parts beside what has none; what State::merge throws
StateFile merge_states(const std::vector<std::string>& paths);
// The first one without all others.
//   throws  bad_state: a part that it does not have, parts beside what has none; what State::remove
//           throws
StateFile remove_states(const std::vector<std::string>& paths);
// State::digest or States::digest of what a file holds; its list of parts does not matter.
//   throws  cannot_open, bad_state
std::string digest_of(const std::string& path);
// Whether the parts are those that --parts wants.
//   throws  bad_state: some are missing, or are not wanted
void check_parts(const StateFile& state, const Arguments& arguments);
// The same; without --parts all shares must be there.
void check_all(const StateFile& state, const Arguments& arguments);

// Prints the answers of a state.
//   throws  what State::answer does; the first bad status
void print_answers_of(const State& state, const std::vector<const OpRow*>& ops,
                      const Options& options, const Style& style);

}  // namespace onefold::cli
