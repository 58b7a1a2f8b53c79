// Tables in texts: lines of fields between delimiters, with a header or without, of which some
// columns are folded.
//
//   delimiter  , tab ; | or runs of blanks: the one that cuts the first lines into equally many
//              fields; in a .tsv the tab; or as given. One that may be part of numbers is an error
//   header     a first line with a word above a column of numbers (its other cells may be numbers,
//              such as years); or as given, which is needed where it may yet be a row
//   line ends  LF, CR LF, or a lone CR where the first line ends so
//   quotes     delimiters and line ends within "..." belong to the field; "" in it is a quote
//   missing    an empty field, NA, N/A, null, None, - in any case, and the given words: left out
//              and counted. NaN is a number
//   text       a column is left out if one of its fields is no number, unless it is chosen
//   truths     TRUE and FALSE, in any case, are 1 and 0 in a column of only these
//   JSON       lines that are objects, as onefold/io/json_lines.hpp has them
//   hints      1,000 and 1,5 are errors that name --thousands and --decimal, unless one of these is
//              given
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/io/file.hpp"
#include "onefold/io/input.hpp"
#include "onefold/io/line_scan.hpp"
#include "onefold/io/number.hpp"

namespace onefold::io {

// How a fold treats the fields of a column.
enum class Fields : uint8_t {
  numbers,
  unknown,    // numbers; if it turns out to hold text, the column is left out
  truths,     // true is 1, false is 0, in any case
  something,  // any text or number, since only the number of values that are present is needed
  values,     // the same, in a column of numbers: those with other marks are errors
  rows        // the same, and no value counts as missing
};

struct Column {
  std::string name;              // from the header; without a name its number, from 1
  int slot = -1;                 // position among the folded columns; -1: not folded
  bool text = false;             // not folded, because it holds no numbers
  std::string date_format = {};  // the pattern of its dates, by --date-format; empty: ISO
  Fields fields = Fields::numbers;
  std::string type = {};  // for containers: the stored type
  std::optional<DType> stored = {};
  // For containers: decimals, or integers of any length, which are read as a text's numbers are.
  bool spelt = false;
  friend bool operator==(const Column&, const Column&) = default;
};

class RowReader;
struct Table;

// Opens the rows of a table that is no text.
class TableSource {
 public:
  virtual ~TableSource() = default;
  virtual std::unique_ptr<RowReader> open_rows(File& file, const Table& table, DType dtype,
                                               Integers integers, Size piece_bytes) const = 0;
  // Returns the table of the text that holds the rows (JSON Lines, derived tables), in which NA and
  // similar words are missing values; null: no text holds them.
  virtual const Table* text() const { return nullptr; }
  // Returns the number of groups of rows that can be read alone; 0: none can. For tables that are
  // no text.
  virtual Size groups() const { return 0; }
  // Returns a source of some rows of that text; or of some groups of rows, whose numbers are the
  // range.
  virtual std::shared_ptr<const TableSource> rows_of(const TextRange&) const { return nullptr; }
};

struct Table {
  // Whether the folded columns are spelt; nothing: some are, others not.
  std::optional<bool> spelt() const;

  char delimiter = ',';  // ' ': runs of blanks
  char decimal = '.';
  char thousands = 0;               // 0: none
  bool loose = false;               // numbers may have signs of currency and percent
  bool others_are_missing = false;  // fields that are no numbers are missing
  char comment = 0;                 // lines that begin with it are left out; 0: none
  bool cr_ends = false;             // lines end at a lone CR
  bool header = false;
  bool plain = false;                    // only numbers; it is a table because the user named axes
  bool chosen = false;                   // the user chose the columns by --columns
  bool insists = false;                  // and none of them may be left out
  bool derived = false;                  // it has --where or --let
  uint64_t data = 0;                     // offset of the first line below the header
  Size lines = 0;                        // number of lines before it
  uint64_t end = TextRange::to_the_end;  // offset of the end of the last line
  bool continues = false;                // other ranks read the rows before `data`
  std::vector<Column> columns = {};      // all columns
  std::vector<std::string> folded = {};  // names of the folded columns, in the order of the answers
  std::vector<std::string> left_out = {};  // names of the columns of text that are left out
  std::vector<std::size_t> by = {};        // columns that form the keys
  std::vector<std::string> missing = {};   // the words of --missing
  bool missing_is_nan = false;             // missing values count as NaN; else they are left out
  bool skip_bad_lines = false;
  bool pointed = false;             // most numbers have a point
  std::string header_line = {};     // the text of a header, to recognise its copies below
  bool repeats_as_numbers = false;  // a copy of it has numbers, and would be a row
  std::string remark = {};          // a sentence for the user about how the table is read
  // JSON Lines: the members that are the columns; empty: fields
  std::vector<std::string> members = {};
  std::shared_ptr<const TableSource> source = {};  // null: a text
  friend bool operator==(const Table&, const Table&) = default;
};

// Returns the table of the text that holds the rows; null: no text does.
inline const Table* text_of(const Table& table) {
  return table.source == nullptr ? &table : table.source->text();
}
// Returns the table with only some rows: of its text, or, if its source has groups, some groups.
Table rows_of(const Table& table, const TextRange& range);

// Makes the table that a text is, judged by its first 64 KiB (of wide texts up to 1 MiB) and by the
// options; nothing if it has numbers only.
//   axes_told  the user named axes: then numbers only are a table, too. All lines must have equally
//              many columns, fewer than 10,000: wider texts are read as numbers, strip by strip
//   throws     bad_token: the text may be read in two ways, or has no column of numbers;
//              bad_option: it lacks a column
std::optional<Table> find_table(File& file, const InputOptions& options, bool axes_told);

// The type of a container's column in which all values are missing.
inline constexpr std::string_view all_null = "null";

// A column of a container.
struct ColumnFacts {
  std::string name, type;
  std::optional<DType> folds = {};
  bool keys = false;
  bool beyond = false;  // holds integers beyond 2^53
  bool decimal = false;
};
// Makes the table of a container's columns, according to the options.
//   throws  bad_option: it lacks a column; unsupported: a column cannot be folded, or be a key
Table table_of(const File& file, const std::vector<ColumnFacts>& columns,
               const InputOptions& options);

// Returns the columns of a list for --columns or --by: names or labels, plain or in quotes, places
// (#2, or 2 where no column is called so), ranges of places, and patterns of names.
//   throws  bad_option: the table lacks one
std::vector<std::size_t> columns_of(const File& file, const std::string& list, const Table& table);
// Returns the labels of columns, which are unique in the table: if two columns have one name, the
// second is called by name and number, as in x.2.
std::vector<std::string> labels_of(const Table& table, const std::vector<std::size_t>& columns);
// Returns for each column a word of --columns that means it.
std::vector<std::string> words_for(const Table& table);
// Adds column k to the folded columns, as the last one.
void choose_column(Table& table, std::size_t k);

struct OtherFields;  // row_reader.hpp
// Refuses column k, for the first of its fields that are no numbers.
//   throws  bad_token; out_of_range: f64 cannot hold its integers
[[noreturn]] void refuse_others(const File& file, const Table& table, std::size_t k,
                                const OtherFields& fields);
// Returns "line 2, column 3 (temp)".
std::string place_text(const Table& table, Size line, std::size_t k);

// Follows the name of a column that is left out because of its integers.
inline constexpr const char* beyond_f64 = " (integers beyond f64; see --dtype i64)";
//   throws  bad_token; out_of_range: f64 cannot hold its integers
[[noreturn]] void refuse_no_numbers(const File& file, const std::vector<std::string>& left_out);

// Whether a field is "NA" or similar, or one of the words of --missing. It has no blanks around it.
bool is_missing(std::string_view field, const std::vector<std::string>& told);

bool is_truth(std::string_view field);

// Returns the option that a field needs to be a number, as a hint for people; empty: none.
std::string hint_for(std::string_view field, const Table& table);
// The same, if it needs --numbers loose.
//   integer  the number must be an integer
std::string loose_hint_for(const std::string& field, const Table& table, bool integer = false);

}  // namespace onefold::io
