#include "onefold/tables/whole_columns.hpp"

#include <algorithm>

#include "onefold/tables/asked.hpp"

namespace onefold::io {

std::optional<std::string> whole_columns(const OpenFiles& opened, const Query& query,
                                         const std::vector<std::string>& files,
                                         const InputOptions& input, const Limits& limits,
                                         const Progress& progress, Notes& notes) {
  const std::vector<TablePart> parts = tables_of(opened);
  const Table& table = *parts[0].table;
  const auto is_text = [](const TablePart& p) {
    return p.table->source == nullptr || (p.table->derived && text_of(*p.table) != nullptr);
  };
  if (table.chosen || table.plain || table.folded.size() < 2 || !table.spelt() ||
      !std::ranges::all_of(parts, is_text) || std::ranges::any_of(files, is_stream)) {
    return {};
  }
  Notes found;
  Meter meter(progress, opened.bytes());
  fold_tables(Query("count").with(Axes{0}), parts, opened.dtype(), integers_of(query, input),
              limits, meter, found);
  if (found.slots.size() == table.folded.size()) return {};
  const std::vector<std::string> words = words_for(table);
  std::string list;
  for (const Size slot : found.slots) {
    list += (list.empty() ? "" : ",") + words[column_of_slot(table, slot)];
  }
  notes.left_out = std::move(found.left_out);
  notes.partly_numbers = std::move(found.partly_numbers);
  return list;
}

}  // namespace onefold::io
