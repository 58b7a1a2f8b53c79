// Finds which of the requested columns hold times.
#include <algorithm>

#include "onefold/io/name_list.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/io/time_text.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/time_fold.hpp"

namespace onefold::io {

std::string TimeColumns::words(bool time) const {
  std::string joined;
  for (const One& c : list) {
    if (c.time == time) joined += (joined.empty() ? "" : ",") + c.word;
  }
  return joined;
}

TimeColumns time_columns(const Query& query, const std::vector<std::string>& files,
                         const FileRequest& asked) {
  const InputOptions& input = asked.input;
  if (input.columns.empty() || input.dtype || files.empty() ||
      std::ranges::any_of(files, is_stream) || query.names() == "count" ||
      std::ranges::none_of(query.ops, [](const OpRow* op) { return folds_times(*op); })) {
    return {};
  }
  InputOptions looks = input;
  looks.choose.clear(), looks.let.clear(), looks.by.clear();
  looks.looks = true;
  TimeColumns columns;
  try {
    // A column may have no values in the first files.
    bool unknown = true;
    for (std::size_t f = 0; f < files.size() && unknown; ++f) {
      const OpenFile file = open_file(files[f], looks, false);
      if (file.table == nullptr) return {};
      const Table& table = *file.table;
      const std::vector<std::string> words = words_for(table);
      columns.list.clear();
      unknown = false;
      for (const std::size_t k : columns_of(*file.file, input.columns, table)) {
        const Column& c = table.columns[k];
        columns.list.push_back({c.name, words[k], is_time_type(c.type)});
        unknown |= c.fields == Fields::unknown;
      }
    }
  } catch (const Error&) {
    return {};  // the fold will report the error
  }
  return columns;
}

bool are_times(const Query& query, const std::vector<std::string>& files,
               const FileRequest& asked) {
  const TimeColumns columns = time_columns(query, files, asked);
  if (columns.any(true) && columns.any(false)) {
    throw Error(ErrorCode::unsupported, query.names() + ": column " + columns.words(true) +
                                            " holds times, but " + columns.words(false) +
                                            " does not; reduce times and other columns separately");
  }
  return columns.any(true);
}

}  // namespace onefold::io
