// Folds the columns of tables, or arrays, by keys: one answer for each key that occurs.
//
//   keys     the text of a field without its quotes; the empty text is a key too. Keys of
//            containers have the text that Python prints; null is a key of its own, sorted last
//   order    for each column of keys: by number if all of its keys are numbers; else by bytes
//   threads  parse at the same time; keys are divided by their hash into shares, and one thread at
//            a time folds a share
//   memory   for each group its key, and those words of a state that any group uses
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/io/time_text.hpp"
#include "onefold/tables/fold_files.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {

struct Grouped {
  std::vector<std::string> by;                    // names of the columns of keys
  std::vector<std::string> columns;               // names of the folded columns
  std::vector<std::string> keys;                  // the key of each group, see parts_of_key
  std::vector<std::optional<DType>> types = {};   // types of keys in arrays; none: text
  std::vector<std::optional<DType>> stored = {};  // stored types of keys that are numbers
  Answers answers;                                // (groups, columns)
  bool nulls = false;                             // a part of a key that equals null_key is null
  bool spelt = false;  // keys are fields of a text, in which NA is a missing value
  // The texts of each column, sorted. An answer of an op for which `of_text` is true is a position
  // in them.
  std::vector<std::vector<std::string>> texts = {};
  // For columns of times: the times that their texts spell
  std::vector<std::vector<Time>> times = {};
  std::vector<bool> of_text = {};
  std::vector<bool> of_time = {};  // of calls (aggregate.hpp): whether its texts are times
  // Returns the position in `texts` or `times` that is the k-th op's answer to a group's column;
  // nothing: it has no value.
  std::optional<Size> place(std::size_t k, Size group, Size column) const {
    const Size at = group * columns.size() + column;
    const Answer& a = answers.list[k];
    if (a.status[at] != Status::ok) return {};
    return static_cast<Size>(a[at].as<int64_t>());
  }
  // Returns the text itself; nothing if the answer has no value.
  std::optional<std::string_view> text(std::size_t k, Size group, Size column) const {
    const std::optional<Size> at = place(k, group, column);
    return at ? std::optional<std::string_view>(texts[column][*at]) : std::nullopt;
  }
};

// What --sort and --top ask for; onefold/tables/group_order.hpp has the meaning.
struct GroupOrder {
  std::string sort = {};  // "-mean,city": names of keys and answers; -: the greatest first
  std::vector<std::string> shown = {};  // names of the answers; empty: those of their ops
  // Number of groups to keep, 0: all; without `sort` those with the greatest first answers.
  Size top = 0;
  bool as_met = false;  // --no-sort: groups in the order of their first rows
  bool later = false;   // is only checked; the caller sorts
  bool asked() const { return !sort.empty() || top != 0; }
};

//   input   `by` names the columns of keys, or arrays of keys (onefold/tables/array_groups.hpp)
//   throws  as fold_files; out_of_memory: more groups than the limits allow; bad_option: `order`
//           names neither a key nor an answer
Grouped group_files(const Query& query, const std::vector<std::string>& files,
                    const InputOptions& input, const Progress& progress = {},
                    const Limits& limits = {}, Notes* notes = nullptr,
                    const GroupOrder& order = {});

// Opens files that must all be tables. `input.by` names the columns of keys.
OpenFiles open_keyed_tables(const Query& query, const std::vector<std::string>& files,
                            const InputOptions& input);
std::vector<std::string> names_of_keys(const Table& table);
// Throws shape_mismatch if a table has other columns or keys than the first one.
void check_keyed_table(const TablePart& first, const TablePart& other);
// Returns groups that have only the names of a table's keys and columns.
Grouped named_groups(const Table& table);

// Returns the types of key columns that are integers or bools; a key may be null nevertheless.
//   stored  types of the columns; none: text
std::vector<std::optional<DType>> types_of_keys(std::vector<std::optional<DType>> stored);

// Opens the files, and checks what can be seen from their headers.
//   throws  as group_files
FilePlan plan_groups(const Query& query, const std::vector<std::string>& files,
                     const InputOptions& input);

}  // namespace onefold::io
