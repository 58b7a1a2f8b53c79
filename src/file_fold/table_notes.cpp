// Notes about tables that were read, of this process and of all ranks.
#include <algorithm>
#include <cstring>

#include "file_fold/met_ranks.hpp"
#include "file_fold/table_fold.hpp"
#include "io/row_reader.hpp"
#include "io/table_fields.hpp"

namespace onefold::io {

void note_reading(const File& file, const Table& table, const RowReader& reader, Size rows,
                  Notes& notes) {
  notes.folded = table.folded;
  add_to(notes.missing, reader.missing());
  notes.texts.merge(reader.texts());
  notes.rows += rows;
  if (const std::set<std::string> unknown = reader.unknown(); !unknown.empty() && !table.chosen) {
    std::string names;
    for (const std::string& name : unknown) names += (names.empty() ? "" : ", ") + quote_text(name);
    notes.warnings.push_back("read " + file.name() +
                             ": members that its first lines lack are left out: " + names);
  }
  if (rows == 0 && table.header && table.members.empty() && table.source == nullptr) {
    notes.warnings.push_back("read " + file.name() + ": there is no row below its header");
  }
  const Size bad = reader.bad_lines();
  if (bad == 0) return;
  notes.warnings.push_back("read " + file.name() + ": " + std::to_string(bad) +
                           (bad == 1 ? " bad line was" : " bad lines were") +
                           " left out; the first: " + reader.first_bad());
}

std::vector<Size> kept_columns(const File& file, const Table& table, Notes& notes) {
  notes.left_out = table.left_out;
  std::vector<Size> kept;
  for (Size c = 0; c < table.folded.size(); ++c) {
    if (!notes.texts.contains(c)) {
      kept.push_back(c);
      continue;
    }
    // Numbers can only be left out because f64 does not hold them.
    const auto is_slot = [&](const Column& k) { return k.slot == static_cast<int>(c); };
    const Column& column = *std::find_if(table.columns.begin(), table.columns.end(), is_slot);
    const bool numbers = column.fields == Fields::numbers;
    notes.left_out.push_back(table.folded[c] + (numbers ? beyond_f64 : ""));
    if (c < notes.missing.size()) notes.missing[c] = 0;
  }
  if (kept.empty()) refuse_no_numbers(file, notes.left_out);
  return kept;
}

void meet(Peers* peers, Notes& notes) {
  if (peers == nullptr) return;
  const auto words_of_all = [&](const std::vector<uint64_t>& words) {
    return peers->gather(
        {reinterpret_cast<const std::byte*>(words.data()), words.size() * sizeof(uint64_t)}, false);
  };
  const Peers::Bytes missing = words_of_all(notes.missing);
  std::vector<uint64_t> read(notes.texts.begin(), notes.texts.end());
  read.push_back(notes.rows);
  const Peers::Bytes texts = words_of_all(read);
  std::string lines;
  for (const std::string& line : notes.warnings) lines += line + '\0';
  const Peers::Bytes warnings =
      peers->gather({reinterpret_cast<const std::byte*>(lines.data()), lines.size()}, false);
  if (!peers->first()) return;
  for (std::size_t r = 1; r < peers->ranks(); ++r) {
    std::vector<Size> theirs(missing[r].size() / sizeof(Size));
    if (!theirs.empty()) std::memcpy(theirs.data(), missing[r].data(), missing[r].size());
    if (!theirs.empty()) add_to(notes.missing, theirs);
    std::vector<Size> slots(texts[r].size() / sizeof(Size));
    std::memcpy(slots.data(), texts[r].data(), texts[r].size());
    notes.rows += slots.back();
    notes.texts.insert(slots.begin(), slots.end() - 1);
    const std::string_view text(reinterpret_cast<const char*>(warnings[r].data()),
                                warnings[r].size());
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      end = text.find('\0', at);
      notes.warnings.emplace_back(text.substr(at, end - at));
    }
  }
}

}  // namespace onefold::io
