// Folds columns of dates, times and durations, for all rows or by keys: exact, in nanoseconds.
//
//   count     of those that are not missing
//   max, min  in the column's notation
//   mean      rounded to a nanosecond, halves to even; of dates a timestamp
//   ptp       the greatest less the least, a duration
//   sum       of times and durations; dates have none
//   nothing   count is 0, sum is 0; the others have no value (empty_input)
//   memory    64 bytes a group and column, and the keys; one pass over the files
#pragma once

#include <string>
#include <vector>

#include "onefold/tables/asked.hpp"

namespace onefold::io {

// Whether times have an answer to this op.
bool folds_times(const OpRow& op);

// Finds the columns of times among those that --columns names, from the first file, as words for
// --columns. Returns none if no op folds times, or if a file is a stream.
struct TimeColumns {
  struct One {
    std::string name, word;
    bool time;
  };
  std::vector<One> list = {};
  // Joins the words of the columns of times, or of the others.
  std::string words(bool time) const;
  bool any(bool time) const { return !words(time).empty(); }
};
TimeColumns time_columns(const Query& query, const std::vector<std::string>& files,
                         const FileRequest& asked);

// Whether all of these columns are of times.
//   throws  unsupported: some are, and others are not
bool are_times(const Query& query, const std::vector<std::string>& files, const FileRequest& asked);

// Without --by there is one group, whose key has no parts.
//   throws  bad_option: an op, or an option, that has no meaning here; bad_token: a text that is no
//           time; empty_input, unless asked.fold.empty_nan; out_of_memory; what group_files throws
Grouped fold_times(const Query& query, const std::vector<std::string>& files,
                   const FileRequest& asked, const Progress& progress, Notes& notes);

}  // namespace onefold::io
