// Folds windows of the rows of tables: an answer for each row, of the last rows up to it, of the
// rows within a span of time, or of all rows up to it, of its key if there are keys.
//
//   order   answers come in the order of the rows, piece by piece
//   memory  the rows within the last window of each key, or a state for each key and column, and a
//           batch of rows; one pass
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "onefold/tables/asked.hpp"

namespace onefold::io {

// Takes the answers of some rows; keys[i] is the key of row i. They are read during the call only.
using WindowedRows = std::function<void(const Grouped& rows)>;

// Answers the windows that asked.windows says, and checks statuses: too_few is the only one left.
//   done    is also called once without rows, before the first ones
//   throws  bad_option: an option that has no meaning here; bad_token: a time that is none, or that
//           is before the one of an earlier row; out_of_memory; what fold_asked throws
void fold_row_windows(const Query& query, const std::vector<std::string>& files,
                      const FileRequest& asked, const Progress& progress, Notes& notes,
                      const WindowedRows& done);

// The same, for limits of one's own.
void fold_row_windows(const Query& query, const std::vector<std::string>& files,
                      const FileRequest& asked, const Limits& limits, const Progress& progress,
                      Notes& notes, const WindowedRows& done);

}  // namespace onefold::io
