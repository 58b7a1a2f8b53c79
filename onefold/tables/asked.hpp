// The entry point for folds of files, for the command line and for Python.
//
//   options  are parsed from text: onefold/tables/input_words.hpp
//   notes    are printed in addition to the answers: onefold/tables/said.hpp
#pragma once

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onefold/tables/array_groups.hpp"
#include "onefold/tables/group_fold.hpp"
#include "onefold/tables/group_quantiles.hpp"
#include "onefold/tables/group_states.hpp"
#include "onefold/tables/keyed_windows.hpp"
#include "onefold/tables/long_integers.hpp"
#include "onefold/tables/plan_beside.hpp"
#include "onefold/tables/quantiles.hpp"

namespace onefold::io {

struct FileRequest {
  InputOptions input;
  Options fold;                            // .where: an array in memory
  std::string weights, fweights, offsets;  // paths of arrays, empty: none; or a column's name
  Size memory = 0;                         // bytes of --memory; 0: the default
  GroupOrder order = {};                   // --sort and --top
  RowWindows windows = {};                 // --rolling, --cumulative and --over
  bool describes = false;  // true for `describe`, some of whose ops may have no answer for a group
  Size copies = 1;         // how many copies of the groups are in memory at the same time
};

// Whether a path is "-" (stdin), a pipe, a FIFO or a device: it can be read only once.
bool is_stream(const std::string& path);

// The limits that --memory sets. They are divided like the default: 100 MiB, or a quarter of the
// free memory for groups and streams. A larger --memory makes no limit smaller.
Limits limits_of(const FileRequest& asked, const std::vector<std::string>& files);

// Throws bad_option if an option was given that cannot be combined with this one.
//   what   the start of the message: "--by folds ..."
//   other  the name of the other option, such as "--axis"; null: it was not given
void refuse_beside(const std::string& what, const char* other);

// Throws bad_option if an option was given that has a meaning only for numbers: --ddof, --result,
// --device cuda.
//   what  as above
void refuse_options_of_numbers(const std::string& what, const FileRequest& asked);

// Throws bad_option if an order of groups was given: --sort, --top or --no-sort.
void refuse_order(const GroupOrder& order);

// Whether --weights, or --fweights, names a column of a table, and no file.
bool weighs_rows(const FileRequest& asked);
bool repeats_rows(const FileRequest& asked);

inline const Answers& answers_in(const Answers& answers) { return answers; }
inline const Answers& answers_in(const Grouped& grouped) { return grouped.answers; }

inline Answers& answers_in(Answers& answers) { return answers; }
inline Answers& answers_in(Grouped& grouped) { return grouped.answers; }
// Returns the names of the columns of answers, in the order of their last axis.
inline const std::vector<std::string>& columns_in(const Answers&, const Notes& notes) {
  return notes.columns;
}
inline const std::vector<std::string>& columns_in(const Grouped& grouped, const Notes&) {
  return grouped.columns;
}

// Calls fold(query, request). If f64 does not hold an integer of a column that was chosen, or an
// answer that is an integer of 2^53 or more where the column is, calls it once more with the
// columns as i64, then as u64, and with the ops that overflow, for answers of a wider type. If they
// are no such integers, the first error or answers stay; but columns that are get their integers,
// beside NaN and what 64 bits do not hold.
//   query  its ops; none: their answers are f64 whatever the columns are
template <class F>
auto fold_long_integers(const std::optional<Query>& query, const FileRequest& asked,
                        const std::vector<std::string>& files, Notes& notes, F fold) {
  const InputOptions& input = asked.input;
  const bool once = input.dtype || input.peers != nullptr || !asked.weights.empty() ||
                    names_arrays(input.by) || std::ranges::any_of(files, is_stream);
  using Folded = decltype(fold(query, asked));
  const Notes before = notes;
  std::optional<Folded> first;
  std::exception_ptr refused;
  try {
    first = fold(query, asked);
    if (once || !query || !has_long_answer(*query, answers_in(*first))) return *std::move(first);
  } catch (const Error& e) {
    if (once || input.columns.empty() || e.code() != ErrorCode::out_of_range) throw;
    refused = std::current_exception();
  }
  const Notes after = std::exchange(notes, before);
  const bool nan = first && has_nan(answers_in(*first));
  const auto as_integers = [&](const std::string& columns, DType dtype) {
    FileRequest own = asked;
    own.input.columns = columns;
    own.input.dtype = dtype;
    const bool leaves_nan = nan || leaves_nan_out(query, asked.fold);
    if (leaves_nan) own.input.missing_is_nan = false;
    // Else a line with a fraction would be a bad one, and left out.
    own.input.without_nan = leaves_nan || input.skip_bad_lines;
    notes = before;
    Folded integers = fold(query, own);
    if (query) {
      const Notes heard = notes;
      mend_overflows(*query, answers_in(integers), [&](const Query& some) {
        notes = before;
        return answers_in(fold(some, own));
      });
      notes = heard;
    }
    return integers;
  };
  for (const DType dtype : {DType::i64, DType::u64}) {
    if (nan || input.columns.empty()) break;
    try {
      Folded integers = as_integers(input.columns, dtype);
      if (!first || !any_overflows(answers_in(integers))) return integers;
    } catch (const Error& other) {
      const bool empty = other.code() == ErrorCode::empty_input;
      if (!first && (other.code() == ErrorCode::overflow || empty)) throw;
    }
  }
  if (refused) std::rethrow_exception(refused);
  put_integers(*query, columns_in(*first, after), answers_in(*first),
               [&](const std::string& columns, DType dtype) {
                 return answers_in(as_integers(columns, dtype));
               });
  notes = after;
  return *std::move(first);
}

// Opens the files and checks what their headers show.
//   throws  as the folds below, except for errors in the data
FilePlan plan_asked(const Query& query, const std::vector<std::string>& files,
                    const FileRequest& asked);

// Folds the files in one pass, with weights and offsets from other files. Checks no statuses.
//   sink    see fold_files
//   throws  bad_option: options that do not go together; what fold_files throws
Answers fold_asked(const Query& query, const std::vector<std::string>& files,
                   const FileRequest& asked, const Progress& progress, Notes& notes,
                   AnswerSink* sink = nullptr);

// Folds columns by the keys of `asked.input.by`, and checks statuses.
//   throws  bad_option: an option that has no meaning together with --by; what group_files throws
void check_groups(const FileRequest& asked);
Grouped group_asked(const Query& query, const std::vector<std::string>& files,
                    const FileRequest& asked, const Progress& progress, Notes& notes);

// Gathers the states of groups.
//   throws  as group_asked; bad_option: --sort and its like
GroupStates gather_groups_asked(const Query& query, const std::vector<std::string>& files,
                                const FileRequest& asked, const Progress& progress, Notes& notes);

// Finds quantiles of all numbers or of each column, and checks statuses.
//   throws  what quantiles_of_files throws
Answers quantiles_asked(const std::vector<Quantile>& quantiles,
                        const std::vector<std::string>& files, const FileRequest& asked,
                        const Progress& progress, Notes& notes);
// Does the same for each column, by the keys of `asked.input.by`.
//   throws  bad_option: an option that has no meaning beside --by; what group_quantiles throws
Grouped quantiles_by_keys(const std::vector<Quantile>& quantiles,
                          const std::vector<std::string>& files, const FileRequest& asked,
                          const Progress& progress, Notes& notes);

}  // namespace onefold::io
