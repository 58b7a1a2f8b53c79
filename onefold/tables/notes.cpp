// What is noted about files while they are folded, and how the first rank gets it.
#include <algorithm>
#include <cstring>

#include "onefold/io/row_reader.hpp"
#include "onefold/tables/met_ranks.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {

namespace {

void append_file(std::vector<std::byte>& to, const FileRead& file) {
  append_text(to, file.name);
  for (const Size n : {file.rows, file.bad, Size{file.headed}, Size{file.continues}}) append(to, n);
  append_text(to, file.first_bad);
  append(to, file.repeats);
  append_text(to, file.remark);
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
  file.repeats = take_number(from);
  file.remark = take_text(from);
  for (Size n = take_number(from); n > 0; --n) file.unknown.emplace(take_text(from));
  return file;
}

void append_others(std::vector<std::byte>& to, const OthersBySlot& others) {
  append(to, others.size());
  for (const auto& [slot, fields] : others) {
    for (const Size n : {slot, fields.texts, fields.integers, fields.line}) append(to, n);
    append_text(to, fields.text);
    append_text(to, fields.file);
  }
}
void take_others(std::span<const std::byte>& from, OthersBySlot& others) {
  for (Size n = take_number(from); n > 0; --n) {
    const Size slot = take_number(from);
    OtherFields fields;
    fields.texts = take_number(from);
    fields.integers = take_number(from);
    fields.line = take_number(from);
    fields.text = take_text(from);
    fields.file = take_text(from);
    others[slot].add(fields);
  }
}

// Returns how many of a column's values are numbers, and which is the first that is none.
std::string partly_text(const Table& table, const Notes& notes, Size slot) {
  const OtherFields& fields = notes.others.at(slot);
  const Size missing = slot < notes.missing.size() ? notes.missing[slot] : 0;
  const Size values = notes.rows - missing;
  const std::string file = notes.read.size() > 1 ? fields.file + ", " : "";
  return " (" + std::to_string(values - fields.texts) + " of " + std::to_string(values) + "; " +
         file + "line " + std::to_string(fields.line) + ": " +
         quote({fields.text.data(), fields.text.data() + fields.text.size()}) +
         hint_for(fields.text, table) + ")";
}

}  // namespace

void note_reading(const File& file, const Table& table, const RowReader& reader, Size rows,
                  Notes& notes) {
  notes.folded = table.folded;
  add_to(notes.missing, reader.missing());
  for (auto [slot, fields] : reader.others()) {
    fields.file = file.name();
    notes.others[slot].add(fields);
  }
  notes.rows += rows;
  FileRead read{.name = file.name(),
                .rows = rows,
                .bad = reader.bad_lines(),
                .first_bad = reader.first_bad(),
                .headed = table.header && table.members.empty() && table.source == nullptr,
                .continues = table.continues,
                .repeats = reader.repeated_headers(),
                .remark = table.continues ? "" : table.remark};
  if (!table.chosen) read.unknown = reader.unknown();
  notes.read.push_back(std::move(read));
}

void note_remarks(const OpenFiles& files, Notes* notes) {
  for (const OpenFile& part : files.x) {
    if (part.remark.empty() || notes == nullptr) continue;
    notes->read.push_back({.name = part.file->name(), .first_bad = {}, .remark = part.remark});
  }
}

std::size_t column_of_slot(const Table& table, Size slot) {
  const auto is_slot = [&](const Column& k) { return k.slot == static_cast<int>(slot); };
  return static_cast<std::size_t>(
      std::find_if(table.columns.begin(), table.columns.end(), is_slot) - table.columns.begin());
}

std::vector<Size> columns_of_numbers(const Table& table, Notes& notes) {
  if (!table.left_out.empty()) notes.left_out = table.left_out;  // else by whole_columns, if any
  std::vector<Size> kept;
  for (Size c = 0; c < table.folded.size(); ++c) {
    const auto found = notes.others.find(c);
    if (found == notes.others.end()) {
      kept.push_back(c);
      continue;
    }
    const OtherFields& fields = found->second;
    const Size missing = c < notes.missing.size() ? notes.missing[c] : 0;
    if (fields.texts == 0) {
      notes.left_out.push_back(table.folded[c] + beyond_f64);
    } else if (fields.texts + missing >= notes.rows) {
      notes.left_out.push_back(table.folded[c]);
    } else {
      notes.partly_numbers.push_back(table.folded[c] + partly_text(table, notes, c));
    }
  }
  return kept;
}

void drop_without_values(const Query& query, const Table& table, Notes& notes,
                         std::vector<Size>& kept) {
  const Options& o = query.options;
  const bool fails =
      std::ranges::any_of(query.ops, [](const OpRow* op) { return op->about->needs_element; });
  // describe shows that there is no answer.
  if (!fails || o.wide || o.empty_nan || o.initial || table.chosen || table.missing_is_nan ||
      notes.rows == 0) {
    return;
  }
  const auto is_empty = [&](Size c) {
    return c < notes.missing.size() && notes.missing[c] == notes.rows;
  };
  if (std::ranges::all_of(kept, is_empty)) return;
  for (const Size c : kept) {
    if (!is_empty(c)) continue;
    notes.without_values.push_back(table.folded[c]);
    notes.missing[c] = 0;
  }
  std::erase_if(kept, [&](Size c) {
    return std::ranges::find(notes.without_values, table.folded[c]) != notes.without_values.end();
  });
}

void refuse_left_out(const File& file, const Table& table, const Notes& notes) {
  if (notes.others.empty()) refuse_text(file, table, notes.left_out.back());
  const auto& [slot, fields] = *notes.others.begin();
  if (fields.texts == 0) refuse_text(file, table, table.folded[slot] + beyond_f64);
  refuse_others(file, table, column_of_slot(table, slot), fields);
}

void refuse_all_columns(const File& file, const Table& table, const Notes& notes) {
  const auto is_partly = [&](const auto& other) {
    return other.second.line != 0 && (table.insists || other.second.texts > 0);
  };
  const auto found = std::find_if(notes.others.begin(), notes.others.end(), is_partly);
  if (found != notes.others.end()) {
    refuse_others(file, table, column_of_slot(table, found->first), found->second);
  }
  refuse_no_numbers(file, notes.left_out);
}

std::vector<Size> kept_columns(const File& file, const Table& table, Notes& notes) {
  std::vector<Size> kept = columns_of_numbers(table, notes);
  if (kept.empty()) refuse_all_columns(file, table, notes);
  return kept;
}

void meet(Peers* peers, Notes& notes) {
  if (peers == nullptr) return;
  const auto words_of_all = [&](const std::vector<uint64_t>& words) {
    return peers->gather(
        {reinterpret_cast<const std::byte*>(words.data()), words.size() * sizeof(uint64_t)}, false);
  };
  const Peers::Bytes missing = words_of_all(notes.missing);
  std::vector<std::byte> met;
  append(met, notes.rows);
  append_others(met, notes.others);
  for (const FileRead& file : notes.read) append_file(met, file);
  const Peers::Bytes files = peers->gather(met, false);
  if (!peers->first()) return;
  for (std::size_t r = 1; r < peers->ranks(); ++r) {
    std::vector<Size> theirs(missing[r].size() / sizeof(Size));
    if (!theirs.empty()) std::memcpy(theirs.data(), missing[r].data(), missing[r].size());
    if (!theirs.empty()) add_to(notes.missing, theirs);
    auto bytes = files[r];
    notes.rows += take_number(bytes);
    take_others(bytes, notes.others);
    while (!bytes.empty()) {
      FileRead next = take_file(bytes);
      if (!next.continues || notes.read.empty()) {
        notes.read.push_back(std::move(next));
        continue;
      }
      FileRead& file = notes.read.back();
      file.rows += next.rows;
      if (file.bad == 0) file.first_bad = std::move(next.first_bad);
      file.bad += next.bad;
      file.repeats += next.repeats;
      file.unknown.merge(next.unknown);
    }
  }
}

}  // namespace onefold::io
