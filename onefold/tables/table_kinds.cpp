#include "onefold/tables/table_kinds.hpp"

#include <algorithm>

namespace onefold::io {
namespace {

// Returns, for each folded column, whether it is spelt.
std::vector<bool> spelt_of(const Table& table) {
  std::vector<bool> spelt(table.folded.size());
  for (const Column& c : table.columns) {
    if (c.slot >= 0) spelt[static_cast<std::size_t>(c.slot)] = c.spelt;
  }
  return spelt;
}

// Returns the table with only those folded columns that are spelt, or only the others.
std::shared_ptr<const Table> of_kind(const Table& table, bool spelt) {
  const std::vector<bool> kinds = spelt_of(table);
  std::vector<int> slots(kinds.size(), -1);
  auto own = std::make_shared<Table>(table);
  own->folded.clear();
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] != spelt) continue;
    slots[k] = static_cast<int>(own->folded.size());
    own->folded.push_back(table.folded[k]);
  }
  for (Column& c : own->columns) {
    if (c.slot >= 0) c.slot = slots[static_cast<std::size_t>(c.slot)];
  }
  return own;
}

// Joins lines of values of both kinds to lines of all columns.
template <class T>
std::vector<T> joined(const std::vector<T> (&values)[2], const std::vector<bool>& kinds,
                      std::size_t each) {
  const auto spelt = static_cast<std::size_t>(std::ranges::count(kinds, true));
  const std::size_t width[2] = {(kinds.size() - spelt) * each, spelt * each};
  std::vector<T> all;
  for (std::size_t line = 0; line * width[0] < values[0].size(); ++line) {
    std::size_t at[2] = {line * width[0], line * width[1]};
    for (const bool kind : kinds) {
      const auto from = values[kind].begin() + static_cast<std::ptrdiff_t>(at[kind]);
      all.insert(all.end(), from, from + static_cast<std::ptrdiff_t>(each));
      at[kind] += each;
    }
  }
  return all;
}

}  // namespace

Answers fold_kinds(const Query& query, const std::vector<TablePart>& parts, Notes& notes,
                   const FoldKind& fold) {
  const Table& table = *parts[0].table;
  const std::vector<bool> kinds = spelt_of(table);
  Answers answers[2];
  Notes said[2];
  for (const bool spelt : {false, true}) {
    Query own = query;
    own.decimals = spelt;
    std::vector<TablePart> some;
    for (const TablePart& part : parts) some.push_back({part.file, of_kind(*part.table, spelt)});
    answers[spelt] = fold(own, some, said[spelt]);
    said[spelt].missing.resize(some[0].table->folded.size());
  }
  notes = said[0];
  notes.folded = table.folded;
  notes.missing = joined<Size>({said[0].missing, said[1].missing}, kinds, 1);
  if (!notes.columns.empty()) notes.columns = table.folded;
  notes.bare = false;
  Answers all = answers[0];
  for (std::size_t k = 0; k < all.list.size(); ++k) {
    Answer& a = all.list[k];
    const Answer& b = answers[1].list[k];
    a.shape[a.shape.rank() - 1] = static_cast<int64_t>(kinds.size());
    a.data = joined<std::byte>({a.data, b.data}, kinds, bytes_of(a.dtype));
    a.status = joined<Status>({a.status, b.status}, kinds, 1);
  }
  return all;
}

}  // namespace onefold::io
