// Finds out from the first lines of a text whether it is a table, and of which kind.
#pragma once

#include "io/table.hpp"
#include "io/table_fields.hpp"

namespace onefold::io {

constexpr std::size_t sample_lines = 1000;

// The first lines, cut by one delimiter.
struct Sample {
  std::vector<Line> lines;
  std::vector<std::size_t> ends;  // where the line behind each begins
  bool alike = true;              // all lines that are no blanks have as many fields as the first
  bool stray = false;             // a quote stands elsewhere than around a field
  std::size_t fields = 0;

  // The first line that is no blank; lines.size() if there is none.
  std::size_t first() const;
};
//   whole  the text ends here
Sample cut(std::string_view text, bool whole, char delimiter, std::size_t most);

// The delimiter that cuts the first lines alike, and into two or more; else one that the first has.
// One that leaves quotes within fields, or text behind them, is the last choice.
char find_delimiter(std::string_view text, bool whole, const InputOptions& options);

// Names a table's columns, finds those of text, and chooses those that are folded or are keys.
//   data  the text below the header
//   throws  as find_table
void choose_columns(const File& file, const Sample& sample, const InputOptions& options,
                    std::string_view data, Table& table);
// Makes labels of the folded columns' names: labels_of.
void tell_names_apart(Table& table);

// A header has no numbers, and a word of it that is none for what is missing stands above a column
// of numbers.
bool finds_header(const Sample& sample, const Table& table);

// The first column that seems to have a name in the first line, such as country,2019 or ,0,1: a
// word, a number above words alone, what is in quotes above what is not, or nothing above labels;
// but none where a time stands above times, as in a row.
std::optional<std::size_t> name_in_first_line(const Sample& sample, const Table& table);

// Two words or more, and nothing behind them: what a query without rows leaves.
bool is_bare_header(const Sample& sample, const Table& table);

// Does --columns or --by name a word of the first line? Then it is a header.
bool names_a_field(std::string_view list, const Sample& sample, const Table& table);

// A first line of numbers, blanks and commas.
bool begins_plainly(std::string_view text);

// A text that ends within quotes, where no table is seen in it.
void refuse_open_quote(const File& file, std::string_view text, bool whole, const Sample& sample);
// Refuses a first line of which it cannot be known whether it is a header.
//   column  seems to have a name
//   throws  bad_token
[[noreturn]] void refuse_name(const File& file, const Sample& sample, const Table& table,
                              std::size_t column);
// The same for a first line of several fields that are not all numbers.
void refuse_words(const File& file, const Sample& sample, const Table& table);

}  // namespace onefold::io
