#include "onefold/tables/column_kinds.hpp"

#include <algorithm>
#include <utility>

#include "onefold/io/name_list.hpp"
#include "onefold/io/time_text.hpp"
#include "onefold/tables/asked.hpp"
#include "onefold/tables/union_columns.hpp"

namespace onefold::io {

ColumnKinds::ColumnKinds(const std::vector<std::string>& files, const InputOptions& input) {
  if (files.empty() || is_stream(files[0])) return;
  InputOptions looks = input.unite ? with_union(files, input).input : input;
  looks.choose.clear(), looks.let.clear(), looks.by.clear(), looks.columns.clear();
  looks.looks = true;
  OpenFile file;
  const auto open = [&] {
    try {
      file = open_file(files[0], looks, false);
      return true;
    } catch (const Error&) {
      return false;  // the fold will report the error
    }
  };
  if (!open()) {
    if (std::exchange(looks.header, Header::yes) != Header::unsaid || !open()) return;
    of_words_ = true;
  }
  if (file.table == nullptr) {
    file.file->fail(ErrorCode::unsupported,
                    "agg needs a table with columns, but this file is not one");
  }
  table_ = file.table;
  file_ = std::move(file);
  for (std::size_t k = 1; k < files.size(); ++k) {
    if (files[k] == "-" || is_stream(files[k])) continue;
    try {
      join(open_file(files[k], looks, false));
    } catch (const Error&) {
      // the fold will report the error
    }
  }
}

// Makes the type of each column the one that holds those of both tables.
void ColumnKinds::join(const OpenFile& other) {
  if (other.table == nullptr) return;
  Table joined = *table_;
  for (Column& c : joined.columns) {
    const auto at = std::ranges::find(other.table->columns, c.name, &Column::name);
    if (at == other.table->columns.end()) continue;
    const Column& d = *at;
    if (c.type == all_null) c.type = d.type, c.text = d.text;
    if (d.type == all_null) {
      c.stored.reset();
      continue;
    }
    if (c.text != d.text && !c.type.empty() && !d.type.empty()) {
      mixed_.emplace(c.name, "read " + other.file->name() + ": column " + c.name + " holds " +
                                 d.type + ", but " + c.type + " in " + file_.file->name() +
                                 "; fold the files separately");
    }
    if (c.stored == d.stored) continue;
    const bool numbers = c.stored && d.stored,
               integers = numbers && is_integer(*c.stored) && is_integer(*d.stored),
               floats = numbers && (is_floating(*c.stored) || is_floating(*d.stored)),
               u64 = c.stored == DType::u64 || d.stored == DType::u64;
    c.stored = floats             ? std::optional(DType::f64)
               : integers && !u64 ? std::optional(DType::i64)
                                  : std::nullopt;
  }
  table_ = std::make_shared<const Table>(std::move(joined));
}

std::optional<std::size_t> ColumnKinds::column_of(const std::string& word) const {
  if (table_ == nullptr) return {};
  try {
    return columns_of(*file_.file, word, *table_)[0];
  } catch (const Error&) {
    return {};  // of --let, or the fold will report the error
  }
}

// Returns the word for --by of a name, a place or a range of columns; empty: it is none of these.
std::string ColumnKinds::column_word(const ListWord& word) const {
  const std::string name = list_of_names({word.text});
  if (word.quoted || column_of(name)) return name;
  const bool places = word.text.find_first_not_of("0123456789-") == word.text.npos;
  return places || column_of(word.text) ? word.text : "";
}

std::vector<ColumnKinds::Key> ColumnKinds::keys_of(const std::string& by) const {
  std::vector<Key> keys;
  for (const ListWord& word : words_of_list(by)) {
    const std::string column = column_word(word);
    if (!column.empty()) {
      keys.push_back({column, true});
    } else if (!keys.empty() && !keys.back().is_column) {
      keys.back().text += "," + word.text;  // an expression may have commas
    } else {
      keys.push_back({word.text, false});
    }
  }
  if (keys.size() == 1 && !keys[0].is_column) keys[0].text = by;
  return keys;
}

std::vector<std::string> ColumnKinds::names_of(const std::string& list) const {
  std::vector<std::string> names;
  for (const ListWord& word : words_of_list(list)) {
    const std::string one = word.quoted ? list_of_names({word.text}) : word.text;
    std::vector<std::size_t> columns;
    try {
      if (table_ != nullptr) columns = columns_of(*file_.file, one, *table_);
    } catch (const Error&) {
      columns.clear();  // it is a column of --let, or the fold will report the error
    }
    if (columns.empty()) names.push_back(word.text);
    for (const std::size_t c : columns) names.push_back(table_->columns[c].name);
  }
  return names;
}

bool ColumnKinds::is_number(const std::string& name) const {
  const Column* const c = column(name);
  return c != nullptr && (!c->text || is_beyond(name)) && !is_time_type(c->type);
}

bool ColumnKinds::is_narrow(const std::string& name) const {
  const Column* const c = column(name);
  return c != nullptr && c->stored && is_floating(*c->stored) && *c->stored != DType::f64;
}

bool ColumnKinds::is_text(const std::string& name, bool counts) const {
  if (const auto mixed = mixed_.find(name); mixed != mixed_.end()) {
    if (counts) return true;
    throw Error(ErrorCode::type_mismatch, mixed->second);
  }
  const Column* const c = column(name);
  return c != nullptr && c->text && !is_time_type(c->type) && !is_beyond(name);
}

// Long integers are no texts of their own.
bool ColumnKinds::is_beyond(const std::string& name) const {
  return std::ranges::find(table_->left_out, name + beyond_f64) != table_->left_out.end();
}

bool ColumnKinds::is_time(const std::string& name) const {
  const Column* const c = column(name);
  return c != nullptr && is_time_type(c->type);
}

std::optional<DType> ColumnKinds::long_integer(const std::string& name) const {
  const Column* const c = column(name);
  const bool is = c != nullptr && !is_time_type(c->type) &&
                  (c->stored == DType::i64 || c->stored == DType::u64);
  return is ? c->stored : std::nullopt;
}

const Column* ColumnKinds::column(const std::string& name) const {
  if (table_ == nullptr) return nullptr;
  const auto found = std::ranges::find(table_->columns, name, &Column::name);
  return found == table_->columns.end() ? nullptr : &*found;
}

}  // namespace onefold::io
