// What the columns of files hold, found before they are folded.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onefold/io/name_list.hpp"
#include "onefold/tables/open_files.hpp"

namespace onefold::io {

// Columns of --let and of a pipe are taken for numbers.
class ColumnKinds {
 public:
  ColumnKinds(const std::vector<std::string>& files, const InputOptions& input);
  const std::shared_ptr<const Table>& table() const { return table_; }  // null: it is not known
  // Returns the column that a word of --columns means; nothing if the table has none.
  std::optional<std::size_t> column_of(const std::string& word) const;
  // Returns what a list of --by has, in its order: words of columns, and lists of expressions.
  struct Key {
    std::string text;
    bool is_column;  // a name, a place or a range of columns
  };
  std::vector<Key> keys_of(const std::string& by) const;
  // Returns the names of the columns that a list of --by means; of --let, its words.
  std::vector<std::string> names_of(const std::string& list) const;
  // Whether no column holds numbers, so that only names that are asked for tell a header.
  bool of_words() const { return of_words_; }
  bool has(const std::string& name) const { return column(name) != nullptr; }
  // Returns the name, or one that begins with it, which no column has.
  std::string unused(std::string name) const {
    while (has(name)) name += ' ';
    return name;
  }
  bool is_number(const std::string& name) const;
  bool is_narrow(const std::string& name) const;  // floats of fewer than 64 bits
  //   counts  its values are only counted
  //   throws  type_mismatch: it holds texts in some files, and others elsewhere
  bool is_text(const std::string& name, bool counts) const;
  bool is_time(const std::string& name) const;
  // Returns i64 or u64 of a column that all files store as such, which f64 may not hold.
  std::optional<DType> long_integer(const std::string& name) const;

 private:
  std::string column_word(const ListWord& word) const;
  void join(const OpenFile& other);
  const Column* column(const std::string& name) const;
  bool is_beyond(const std::string& name) const;  // integers that f64 does not hold

  std::shared_ptr<const Table> table_;
  OpenFile file_;
  std::map<std::string, std::string> mixed_;  // columns of texts and others, and why
  bool of_words_ = false;
};

}  // namespace onefold::io
