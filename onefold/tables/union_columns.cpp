#include "onefold/tables/union_columns.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "onefold/io/name_list.hpp"
#include "onefold/tables/open_files.hpp"

namespace onefold::io {
namespace {

struct UnitedColumn {
  bool number = false;  // in some file
  bool beyond = false;  // a container has integers that f64 does not hold there
  std::size_t files = 0;
};

class ColumnUnion {
 public:
  ColumnUnion(const std::vector<std::string>& files, const InputOptions& input) : input_(input) {
    looks_ = input;
    looks_.columns.clear(), looks_.by.clear(), looks_.choose.clear(), looks_.let.clear();
    looks_.path.clear();
    looks_.looks = looks_.describes = looks_.spells = true;
    looks_.counts = looks_.without_nan = false;
    looks_.dtype.reset();
    all_.header = true;
    for (const std::string& file : files) add(file);
  }

  UnitedInput run(std::size_t files) const {
    UnitedInput united{input_, {}};
    InputOptions& own = united.input;
    own.columns = by_names(input_.columns);
    own.by = by_names(input_.by);
    if (own.columns.empty()) own.columns = columns_of_numbers(own.by, united.left_out);
    for (std::size_t k = 0; k < facts_.size(); ++k) {
      if (facts_[k].files == files) continue;
      own.path.push_back({.name = all_.columns[k].name, .number = facts_[k].number});
    }
    return united;
  }

 private:
  void add(const std::string& path) {
    OpenFile opened = open_file(path, looks_, true);
    // What is unpacked is read from the begin again; a pipe cannot be.
    const bool again = opened.file->seekable() || std::filesystem::is_regular_file(path);
    if (path == "-" || !again) {
      opened.file->fail(ErrorCode::needs_seek,
                        "--union reads the column names of all files first, so it cannot read a "
                        "pipe; save it as a file");
    }
    if (opened.table == nullptr || !opened.table->header) {
      opened.file->fail(ErrorCode::bad_option,
                        "--union joins tables by column names, but this file has none; if its "
                        "first line has names, pass --header yes");
    }
    const std::vector<bool> beyond = long_integers_of(path, opened);
    std::vector<std::size_t> own;
    for (std::size_t k = 0; k < opened.table->columns.size(); ++k) own.push_back(k);
    const std::vector<std::string> labels = labels_of(*opened.table, own);
    for (std::size_t k = 0; k < own.size(); ++k) {
      const auto at = std::ranges::find(all_.columns, labels[k], &Column::name);
      const auto place = static_cast<std::size_t>(at - all_.columns.begin());
      if (at == all_.columns.end()) {
        all_.columns.push_back({.name = labels[k]});
        facts_.emplace_back();
      }
      ++facts_[place].files;
      facts_[place].number |= opened.table->columns[k].slot >= 0;
      facts_[place].beyond |= beyond[k];
    }
    if (first_ == nullptr) first_ = std::move(opened.file);
  }

  // Returns which columns of a container are integers that f64 does not hold, for ops that read no
  // digits.
  std::vector<bool> long_integers_of(const std::string& path, const OpenFile& opened) const {
    std::vector<bool> beyond(opened.table->columns.size());
    if (input_.spells || opened.text()) return beyond;
    InputOptions looks = looks_;
    looks.spells = false;
    const OpenFile again = open_file(path, looks, true);
    for (std::size_t k = 0; k < beyond.size(); ++k) {
      const Column& c = again.table->columns[k];
      beyond[k] = c.slot < 0 && c.stored && is_integer(*c.stored);
    }
    return beyond;
  }

  // Replaces places and patterns by names; what else is no name may be one of --let.
  std::string by_names(const std::string& list) const {
    if (list.empty()) return {};
    std::string names;
    for (const auto& [word, quoted] : words_of_list(list)) {
      const bool known = std::ranges::find(all_.columns, word, &Column::name) != all_.columns.end();
      const bool is_place = word.find_first_not_of("0123456789-#") == word.npos;
      std::vector<std::string> meant{word};
      if (!quoted && !known && (is_place || word.find('*') != word.npos)) {
        meant.clear();
        for (const std::size_t k : columns_of(*first_, word, all_)) {
          meant.push_back(all_.columns[k].name);
        }
      }
      names += (names.empty() ? "" : ",") + list_of_names(meant);
    }
    return names;
  }

  std::string columns_of_numbers(const std::string& by, std::vector<std::string>& left_out) const {
    std::vector<std::string> keys, names;
    for (const ListWord& word : words_of_list(by)) keys.push_back(word.text);
    for (std::size_t k = 0; k < facts_.size(); ++k) {
      const std::string& name = all_.columns[k].name;
      if (std::ranges::find(keys, name) != keys.end()) continue;
      const bool beyond = facts_[k].beyond && !input_.dtype && !input_.counts;
      if (beyond) left_out.push_back(name + beyond_f64);
      if (!beyond && (facts_[k].number || input_.counts)) names.push_back(name);
    }
    return list_of_names(names);
  }

  const InputOptions& input_;
  InputOptions looks_;
  Table all_;                        // the columns of all files
  std::vector<UnitedColumn> facts_;  // about each of them
  std::unique_ptr<File> first_;
};

}  // namespace

UnitedInput with_union(const std::vector<std::string>& files, const InputOptions& input) {
  return ColumnUnion(files, input).run(files.size());
}

void order_as_first(const OpenFile& first, OpenFile& next) {
  if (first.table == nullptr || next.table == nullptr || !next.table->header) return;
  const std::vector<std::string>& names = first.table->folded;
  if (names == next.table->folded || !std::ranges::is_permutation(names, next.table->folded)) {
    return;
  }
  Table table = *next.table;
  for (Column& c : table.columns) {
    if (c.slot < 0) continue;
    const std::string& name = next.table->folded[static_cast<std::size_t>(c.slot)];
    c.slot = static_cast<int>(std::ranges::find(names, name) - names.begin());
  }
  table.folded = names;
  next.table = std::make_shared<Table>(std::move(table));
}

void spell_alike(std::vector<OpenFile>& files, bool sums) {
  std::map<int, const OpenFile*> spelt;  // by slots
  for (const OpenFile& f : files) {
    if (f.table == nullptr) return;
    for (const Column& c : f.table->columns) {
      if (c.slot >= 0 && (c.spelt || (sums && f.text()))) spelt.emplace(c.slot, &f);
    }
  }
  const auto differs = [&](const Column& c) {
    return c.slot >= 0 && !c.spelt && (c.stored || c.type == all_null) && spelt.contains(c.slot);
  };
  for (OpenFile& f : files) {
    if (f.text() || std::ranges::none_of(f.table->columns, differs)) continue;
    Table table = *f.table;
    for (Column& c : table.columns) {
      if (!differs(c)) continue;
      const bool integers = c.type == all_null || is_integer(*c.stored);
      if (!integers && sums) {
        const OpenFile& other = *spelt.at(c.slot);
        f.file->fail(ErrorCode::type_mismatch,
                     "column " + c.name + " holds " + c.type + ", but in " + other.file->name() +
                         " it holds " +
                         (other.text() ? "decimals, as a text file has them"
                                       : "numbers that f64 cannot hold") +
                         "; to round them to f64, pass --dtype f64");
      }
      c.spelt = integers;
    }
    f.table = std::make_shared<const Table>(std::move(table));
  }
}

}  // namespace onefold::io
