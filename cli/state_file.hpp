// Files of states. They have the bytes of State::save, or of GroupStates::save, after a line with
// the numbers of the parts if parts have numbers.
//
//   onefold-parts 1-3,7 af9a84a0      parts, CRC-32 of this list; then the state
//   onefold-parts 1-3,7/8 3f15c646    parts of 8 shares
//
// Files of old versions have no checksum in that line; they are read, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/print.hpp"
#include "cli/verb.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/engine/request/ranges.hpp"
#include "onefold/tables/group_states.hpp"

namespace onefold::cli {

struct StateFile {
  State state;
  std::optional<io::GroupStates> groups = {};  // of `gather --by`, instead of a state
  Ranges parts;         // numbers of the gathered parts; empty: no numbers given
  uint64_t shares = 0;  // the number of shares; 0: not known
};

// throws cannot_open, bad_state
StateFile load_state(const std::string& path);
// throws cannot_write
void save_state(const std::string& path, const StateFile& state);

// Merges all files, one after another. A folder stands for all files *.of in it, in any order;
// their names are not kept in memory. Prints a note if files without numbers have equal bytes.
//   throws  overlap: a part or a file occurs twice; bad_state: only some have numbers; as
//           State::merge
StateFile merge_states(const std::vector<std::string>& paths);
// Removes all other states from the first one.
//   throws  overlap: a file is to be removed twice; bad_state: a part that it does not have, or
//           only some have numbers; as State::remove
StateFile remove_states(const std::vector<std::string>& paths);
// Returns State::digest or States::digest of a file's state; its list of parts does not matter.
//   throws  cannot_open, bad_state
std::string digest_of(const std::string& path);
// Checks that the parts are those that --parts wants.
//   throws  bad_state: some are missing, or are not wanted
void check_parts(const StateFile& state, const Arguments& arguments);
// Does the same; without --parts, all shares must be there.
void check_all(const StateFile& state, const Arguments& arguments);

// Prints a state's answers; of groups as --by prints them, or into the file of --output.
//   throws  as State::answer; the first bad status
void print_answers_of(const StateFile& state, const std::vector<const OpRow*>& ops,
                      const Arguments& arguments);

}  // namespace onefold::cli
