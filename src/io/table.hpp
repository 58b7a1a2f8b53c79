// Tables in texts: lines of fields between delimiters, with a header or without, of which some
// columns are folded.
//
//   delimiter  , tab ; | or runs of blanks: the one that cuts the first lines into equally many
//              fields; in a .tsv the tab; or as given. One that may be part of numbers is an error
//   header     a first line without a number, if one of its words stands above a column of numbers;
//              or as given, which is needed where a first line has words and may yet be a row
//   line ends  LF, CR LF, or a lone CR where the first line ends so
//   quotes     delimiters and line ends within "..." belong to the field; "" in it is a quote
//   missing    an empty field, NA, N/A, null, None, - in any case, and the given words: left out
//              and counted. NaN is a number
//   text       a column is left out if most of its fields are no numbers, unless it is chosen; so
//              is one whose fields are empty in the first 64 KiB and text later
//   truths     TRUE and FALSE, in any case, are 1 and 0 in a column of only these
//   JSON       lines that are objects, as io/json_lines.hpp has them
//   hints      1,000 and 1,5 are errors that name --thousands and --decimal, unless one of these is
//              given
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"
#include "io/input.hpp"
#include "io/line_scan.hpp"
#include "io/number.hpp"

namespace onefold::io {

// How a fold treats the fields of a column.
enum class Fields : uint8_t {
  numbers,
  unknown,    // numbers; but where one is text after all, the column is left out
  truths,     // true is 1, false is 0, in any case
  something,  // whatever is there, any number
  rows        // and none is missing
};

struct Column {
  std::string name;   // by the header; else its number, from 1
  int slot = -1;      // where among those that are folded; -1: not
  bool text = false;  // not folded, because it holds no numbers
  Fields fields = Fields::numbers;
  std::string type = {};  // of a container, as it is stored
  std::optional<DType> stored = {};
  bool spelt = false;  // of a container: decimals, or integers of any length, as texts have them
  friend bool operator==(const Column&, const Column&) = default;
};

class RowReader;
struct Table;

// A table that is no text: who opens it.
class TableSource {
 public:
  virtual ~TableSource() = default;
  virtual std::unique_ptr<RowReader> open_rows(File& file, const Table& table, DType dtype,
                                               Integers integers, Size piece_bytes) const = 0;
  // The table of the text that has the rows, in which NA and its like are missing values; null: no
  // text has them.
  virtual const Table* text() const { return nullptr; }
  // The number of groups of rows that can be read apart; 0: none can. Of tables that are no text.
  virtual Size groups() const { return 0; }
  // The same for some rows of that text; or for some groups, which the range numbers.
  virtual std::shared_ptr<const TableSource> rows_of(const TextRange&) const { return nullptr; }
};

struct Table {
  // Whether its folded columns are spelt; none: some are.
  std::optional<bool> spelt() const;

  char delimiter = ',';  // ' ': runs of blanks
  char decimal = '.';
  char thousands = 0;    // 0: none
  bool cr_ends = false;  // lines end at a lone CR
  bool header = false;
  bool plain = false;                    // numbers alone, of which axes make a table
  bool chosen = false;                   // the columns were, by --columns
  uint64_t data = 0;                     // where the first line below the header begins
  Size lines = 0;                        // before that
  uint64_t end = TextRange::to_the_end;  // where the last line ends
  bool continues = false;                // other ranks read the rows before `data`
  std::vector<Column> columns;           // all
  std::vector<std::string> folded;       // names of those that are, in the order of the answers
  std::vector<std::string> left_out;     // those of text
  std::vector<std::size_t> by;           // columns whose fields are keys
  std::vector<std::string> missing;      // told
  bool missing_is_nan = false;           // else it is left out
  bool skip_bad_lines = false;
  bool pointed = false;                   // most numbers have a point
  std::vector<std::string> members = {};  // JSON Lines: the columns' members; empty: fields
  std::shared_ptr<const TableSource> source = {};  // null: a text
  friend bool operator==(const Table&, const Table&) = default;
};

// The table of the text in which the rows are; null: it is no text.
inline const Table* text_of(const Table& table) {
  return table.source == nullptr ? &table : table.source->text();
}
// Some rows of the table of a text; or of one whose source has groups, some of these.
Table rows_of(const Table& table, const TextRange& range);

// The table that a text is by its first 64 KiB (of wide ones up to 1 MiB) and the options; none:
// numbers and nothing else.
//   axes_told  then numbers alone are one too, whose lines must be alike, of fewer than 10,000
//              columns: wider ones are read as numbers, and go by strips of columns
//   throws  bad_token: what may be read in two ways, or has no column of numbers; bad_option: a
//           column that is not there
std::optional<Table> find_table(File& file, const InputOptions& options, bool axes_told);

// A column of a container.
struct KnownColumn {
  std::string name, type;
  std::optional<DType> folds = {};
  bool keys = false;
  bool beyond = false;  // holds integers beyond 2^53
  bool decimal = false;
};
// The table that a container's columns are by the options.
//   throws  bad_option: a column that is not there; unsupported: one that cannot be folded, or be
//           a key
Table table_of(const File& file, const std::vector<KnownColumn>& columns,
               const InputOptions& options);

// The columns of a list as --columns and --by have it: names, plain or in quotes, numbers from 1,
// ranges of numbers, and patterns of names.
//   throws  bad_option: one is not there
std::vector<std::size_t> columns_of(const File& file, const std::string& list, const Table& table);
// The names of columns, made unique: the second of two of one name gets the number of its column,
// as in x.2.
std::vector<std::string> labels_of(const Table& table, const std::vector<std::size_t>& columns);
// Folds a column too, behind the others.
void choose_column(Table& table, std::size_t k);

// What is said behind the name of a column that is left out because of its integers.
inline constexpr const char* beyond_f64 = " (integers beyond f64; see --dtype i64)";
//   throws  bad_token; out_of_range: integers are the reason
[[noreturn]] void refuse_no_numbers(const File& file, const std::vector<std::string>& left_out);

// "NA" and its like, or one of those that were told. `field` has no blanks around it.
bool is_missing(std::string_view field, const std::vector<std::string>& told);

bool is_truth(std::string_view field);

// Which option a field that is no number seems to need, as a hint for people; empty: none.
std::string hint_for(std::string_view field, const Table& table);

}  // namespace onefold::io
