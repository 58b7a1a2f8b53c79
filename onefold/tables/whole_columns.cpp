#include "onefold/tables/whole_columns.hpp"

#include <algorithm>

#include "onefold/engine/plan/plan.hpp"
#include "onefold/tables/asked.hpp"
#include "onefold/tables/fold_files.hpp"
#include "onefold/tables/long_integers.hpp"

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

bool has_long_sums(const OpenFiles& opened, const Query& query,
                   const std::vector<std::string>& files, const InputOptions& input,
                   const Limits& limits) {
  const std::vector<TablePart> parts = tables_of(opened);
  const auto gives_integers = [&](const OpRow* op) {
    return !is_floating(result_type(*op, DType::i64, query.options));
  };
  // With --bad-lines skip a number with a fraction would be left out.
  if (input.skip_bad_lines || parts[0].table->folded.empty() ||
      !can_fold_integers(query, parts, files, input) ||
      std::ranges::none_of(query.ops, gives_integers)) {
    return false;
  }
  const auto is_sumsq = [](const OpRow* op) { return std::string_view(op->name) == "sumsq"; };
  const Query most(std::ranges::any_of(query.ops, is_sumsq) ? "sumsq" : "norm1", {.axes = {0}});
  const Table& table = *parts[0].table;
  const std::vector<std::string> words = words_for(table);
  InputOptions own = input;
  own.dtype = DType::i64;
  own.by.clear(), own.columns.clear();
  own.header = table.header ? Header::yes : Header::no;
  for (Size slot = 0; slot < table.folded.size(); ++slot) {
    own.columns += (slot == 0 ? "" : ",") + words[column_of_slot(table, slot)];
  }
  try {
    Notes notes;
    const Answers answers = fold_files(most, files, own, {}, limits, &notes);
    const Answer& a = answers.list[0];
    bool found = false, all = true;
    for (Size i = 0; i < a.size(); ++i) {
      all &= a.status[i] == Status::ok;
      found |= a[i].as<uint64_t>() >= uint64_t{1} << 53;
    }
    const auto some = [](Size missing) { return missing > 0; };
    return found && all && std::ranges::none_of(notes.missing, some);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::read_failed) throw;  // the file changed between the passes
    return false;                                   // these columns do not hold such integers
  }
}

}  // namespace onefold::io
