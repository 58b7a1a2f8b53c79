// Finds out from the first lines of a text whether it is a table, and of which kind.
#pragma once

#include "onefold/io/table.hpp"
#include "onefold/io/table_fields.hpp"

namespace onefold::io {

constexpr std::size_t sample_lines = 1000;

// The first lines of a text, cut into fields by one delimiter.
struct Sample {
  std::vector<Line> lines;
  std::vector<std::size_t> ends;  // where the next line begins, for each line
  std::size_t odd = 0;            // number of lines with more or fewer fields than the first
  bool stray = false;             // a quote stands elsewhere than at the ends of a field
  std::size_t rows = 0;           // number of lines that are not blank
  std::size_t fields = 0;         // of the first line that is not blank

  // Whether all lines but blank ones have as many fields as the first.
  bool alike() const { return odd == 0; }
  // Returns the number of the first line that is not blank; lines.size() if there is none.
  std::size_t first() const;
};
//   whole  the text ends with its last line
//   most   number of lines that are not blank
Sample cut(std::string_view text, bool whole, char delimiter, std::size_t most);

// Returns the sample with blank lines in place of copies of its first line, if that has a word.
// Returns none if there is no copy.
std::optional<Sample> without_repeats(const Sample& sample, const Table& table);

// Returns the delimiter that cuts the first lines into equally many fields, at least two; most of
// them with --bad-lines skip. Otherwise it is one that occurs in the first line. One that leaves
// quotes within fields, or text behind them, is the last choice.
char find_delimiter(std::string_view text, bool whole, const InputOptions& options);

// Names a table's columns, finds those of text, and chooses those that are folded or are keys.
//   data  the text below the header
//   throws  as find_table
void choose_columns(const File& file, const Sample& sample, const InputOptions& options,
                    std::string_view data, Table& table);
// Finds the columns that hold dates by --date-format, and marks them.
//   throws  bad_option: no column has such dates
void find_dates(const File& file, const Sample& sample, const InputOptions& options, Table& table);
// Returns the list of columns that --date-format names.
std::string columns_with_dates(const InputOptions& options);
// Gives the folded columns unique names: labels_of.
void tell_names_apart(Table& table);

// Whether the first line is a header: one of its words, which does not mean "missing", stands above
// a column of numbers. Other cells may be numbers, such as years, if the word is a name. Or
// its first cell is empty, stands above numbers, and the others are as numbers name columns
// (,0,1,2).
bool finds_header(const Sample& sample, const Table& table);

// Leaves out the line below the first one, which has units.
//   throws  bad_option: there is no such line, or --header no was given
void leave_units_out(const File& file, Sample& sample, const InputOptions& options);

// Whether the first line is surely a row: it has a date or a time above one; or it begins with an
// integer, of which the next line has the next one, and has no other number.
bool begins_with_row(const Sample& sample, const Table& table);

// Returns the first column that seems to have a name in the first line, such as country,2019 or
// ,0,1: a word; a number above words only; a text in quotes above others without; or nothing above
// labels. Returns none if the line is surely a row.
std::optional<std::size_t> name_in_first_line(const Sample& sample, const Table& table);

// Whether a text has one line of at least two words: the result of a query without rows.
bool is_bare_header(const Sample& sample, const Table& table);

// Whether a header has numbers and others, so that a copy of it below may seem to be a row.
bool has_numbers_and_words(const Line& header, const Table& table);

// Whether --columns or --by names a word of the first line, which then is a header.
bool names_a_field(std::string_view list, const Sample& sample, const Table& table);

// Whether the first line has only numbers, blanks and commas.
bool begins_plainly(std::string_view text);

// Refuses a text that ends within quotes, if no table was recognised in it.
void refuse_open_quote(const File& file, std::string_view text, bool whole, const Sample& sample);
// Refuses a first line of which it cannot be known whether it is a header.
//   column  the column that seems to have a name
//   throws  bad_token
[[noreturn]] void refuse_name(const File& file, const Sample& sample, const Table& table,
                              std::size_t column);
// The same for a first line of several fields of which not all are numbers.
void refuse_words(const File& file, const Sample& sample, const Table& table);

}  // namespace onefold::io
