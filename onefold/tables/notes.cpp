// What is noted about files while they are folded, and how the first rank gets it.
#include <algorithm>
#include <cstring>

#include "onefold/io/row_reader.hpp"
#include "onefold/tables/met_ranks.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {

namespace {

void append_file(std::vector<std::byte>& to, const FileRead& file) {
  append_text(to, file.name);
  for (const Size n : {file.rows, file.bad, Size{file.headed}, Size{file.continues}}) append(to, n);
  append_text(to, file.first_bad);
  append(to, file.unknown.size());
  for (const std::string& name : file.unknown) append_text(to, name);
}
FileRead take_file(std::span<const std::byte>& from) {
  FileRead file{.name = std::string(take_text(from)), .first_bad = {}};
  file.rows = take_number(from);
  file.bad = take_number(from);
  file.headed = take_number(from) != 0;
  file.continues = take_number(from) != 0;
  file.first_bad = take_text(from);
  for (Size n = take_number(from); n > 0; --n) file.unknown.emplace(take_text(from));
  return file;
}

}  // namespace

void note_reading(const File& file, const Table& table, const RowReader& reader, Size rows,
                  Notes& notes) {
  notes.folded = table.folded;
  add_to(notes.missing, reader.missing());
  notes.texts.merge(reader.texts());
  notes.rows += rows;
  FileRead read{.name = file.name(),
                .rows = rows,
                .bad = reader.bad_lines(),
                .first_bad = reader.first_bad(),
                .headed = table.header && table.members.empty() && table.source == nullptr,
                .continues = table.continues};
  if (!table.chosen) read.unknown = reader.unknown();
  notes.read.push_back(std::move(read));
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
  std::vector<std::byte> met;
  for (const FileRead& file : notes.read) append_file(met, file);
  const Peers::Bytes files = peers->gather(met, false);
  if (!peers->first()) return;
  for (std::size_t r = 1; r < peers->ranks(); ++r) {
    std::vector<Size> theirs(missing[r].size() / sizeof(Size));
    if (!theirs.empty()) std::memcpy(theirs.data(), missing[r].data(), missing[r].size());
    if (!theirs.empty()) add_to(notes.missing, theirs);
    std::vector<Size> slots(texts[r].size() / sizeof(Size));
    std::memcpy(slots.data(), texts[r].data(), texts[r].size());
    notes.rows += slots.back();
    notes.texts.insert(slots.begin(), slots.end() - 1);
    for (auto bytes = files[r]; !bytes.empty();) {
      FileRead next = take_file(bytes);
      if (!next.continues || notes.read.empty()) {
        notes.read.push_back(std::move(next));
        continue;
      }
      FileRead& file = notes.read.back();
      file.rows += next.rows;
      if (file.bad == 0) file.first_bad = std::move(next.first_bad);
      file.bad += next.bad;
      file.unknown.merge(next.unknown);
    }
  }
}

}  // namespace onefold::io
