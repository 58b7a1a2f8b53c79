// The states of groups: gathered by keys, saved, merged key by key, and answered later.
//
//   saved   "1foldby", names of the key columns and of the folded columns, the keys by rising
//           bytes, then the bytes of States::save of shape (groups, columns); a checksum behind all
//   merge   any order and grouping of the same rows gives the same bytes
//   indices none: argmin and argmax of groups are refused
//   memory  the keys, and those words of a state that some group uses; twice while groups are
//           merged
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/states.hpp"
#include "onefold/tables/group_fold.hpp"

namespace onefold::io {

struct GroupStates {
  std::vector<std::string> by, columns;
  bool nulls = false, spelt = false;              // as in Grouped
  std::vector<std::optional<DType>> stored = {};  // the stored types of the key columns
  std::vector<std::string> keys = {};             // ascending; joined as by join_key
  States states = {};                             // (groups, columns)

  // Merges other groups of states, whose rows are other ones.
  //   throws  bad_state: other columns or kinds of keys; as States::merge
  void merge(const GroupStates& other);
  // Uses the last part of each key as a weight: how many times the group's rows count. Then merges
  // groups whose other parts are equal; without other parts, one group remains.
  //   keeps_empty  groups whose rows count 0 times remain, without elements
  //   throws  bad_option: a key is no whole number; overflow: 2^63 elements or more
  void repeat(bool keeps_empty);
  // Returns the answers, with groups in the order of their keys.
  //   throws  as States::answer
  Grouped answer(std::string_view ops, const Options& options) const;
  std::vector<std::byte> save() const;
  // throws bad_state: the bytes are no states of groups, or no data can give them
  static GroupStates load(std::span<const std::byte> bytes);
  static bool begins(std::string_view bytes) { return bytes.starts_with(magic); }

  static constexpr std::string_view magic = "1foldby";
};

// Returns how many times a row counts, from its text in the column of --fweights; nothing if it is
// missing.
//   nulls   the text comes from a container, in which null_key is a missing value
//   throws  bad_option: it is no whole number from 0 on
std::optional<Size> times_of_row(std::string_view weight, bool nulls, const std::string& column);

// Gathers the columns of tables by the keys of `input.by`.
//   throws  as group_files; unsupported: keys in arrays
GroupStates gather_groups(const Query& query, const std::vector<std::string>& files,
                          const InputOptions& input, const Progress& progress, const Limits& limits,
                          Notes& notes);

}  // namespace onefold::io
