// Parses a piece of a table into numbers; those of one column are contiguous.
//
// A permutation of bytes first turns the table's delimiter and decimal mark into a comma and a
// point, so one loop parses every kind of table; the inverse restores the text for messages.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "onefold/engine/plan/decimal_terms.hpp"
#include "onefold/io/date_format.hpp"
#include "onefold/io/number.hpp"
#include "onefold/io/table.hpp"

namespace onefold::io {

// The facts of a table that a loop over its bytes needs.
struct RowLayout {
  explicit RowLayout(const Table& table, Integers integers);

  // For each column: position among the folded ones; -1: its fields are skipped
  std::vector<int> slot;
  std::vector<Fields> fields;  // for each folded column
  bool blanks = false;         // runs of blanks are the delimiter; else a comma is
  bool exact = false;          // the type is f64, and digits that it cannot hold are noted as terms
  bool refuses = false;        // and integers that it cannot hold are errors, or leave columns out
  bool leaves_integers = false;  // they leave columns out that were chosen, too
  bool skip_bad = false;
  bool pointed = false;
  bool quoted_commas = false;  // The decimal mark is also the delimiter, outside of quotes.
  bool keeps_starts = false;
  std::vector<double> sentinels;  // numbers that stand for missing values
  const Table* table = nullptr;
  // For each column the format of its dates, which are checked; empty: none has any
  std::vector<std::optional<DateFormat>> dates;

  // Exchanges the bytes of delimiter and marks, and restores them.
  void put_in_place(char* begin, char* end) const;
  void put_back(char* begin, char* end) const;
  std::string as_it_stood(std::string_view text) const;
  // Whether a byte, after the exchange, is a blank of the file: a tab may stand for a comma.
  bool is_blank_here(char c) const;

 private:
  char from_[3] = {}, to_[3] = {};
};

struct RowProblem {
  static constexpr Size no_column = none;
  ErrorCode code = ErrorCode::bad_token;
  Size line = 0;    // within the piece, from 0
  Size column = 0;  // from 0; or no_column
  std::string what;
  bool repeats_header = false;  // the line is a copy of the header, and no bad line
};

// Fields of a piece that are no numbers, of columns that are left out then.
struct OtherPlaces {
  struct First {
    Size place, offset;  // among the values; of its byte in the piece
    std::string text;
  };
  std::vector<Size> places;     // of their values, in any order
  std::map<Size, First> first;  // of each slot
};

struct ParsedRows {
  Size rows = 0;
  std::vector<Size> starts;  // begin of each line; only for tables with keys
  Size line_ends = 0;
  Size bad = 0;                       // number of lines that were left out
  std::optional<RowProblem> problem;  // the first bad line
  std::vector<Size> missing;       // positions of missing values, which are NaN, or 0 for integers
  std::vector<DecimalTerm> terms;  // digits that f64 cannot hold, if the layout is exact
  std::vector<Size> pointed;       // positions as in RowReader::Rows, if the layout is exact
  OtherPlaces texts;               // fields that are no numbers
  OtherPlaces integers;            // integers that f64 cannot hold
  Size headers = 0;                // number of lines that repeat the header, and are left out
};

// Parses whole lines; the last one may lack its line end.
//   begin     32 bytes before it can be read
//   end       text_padding bytes from there on are line ends
//   values    gets the value of folded column s in row r at s * capacity + r
//   capacity  at least capacity_of(end - begin)
ParsedRows parse_rows(DType t, const RowLayout& layout, const char* begin, const char* end,
                      void* values, Size capacity, bool plain = false);
Size capacity_of(const RowLayout& layout, std::size_t bytes);

// Appends the key of a parsed line: the text of the field that `by` names, without quotes and
// blanks around it; if there are several, each after its length, in 4 bytes.
// Dates in a format of --date-format become those of ISO.
//   line  begin of the line
void append_key(const RowLayout& layout, const char* line, const char* end, std::string& key);
// Returns the field at p that is no date in the format of column c; nothing: it is one, or missing.
std::optional<std::string> other_date(const RowLayout& layout, std::size_t c, const char* p,
                                      const char* end);
// Joins the parts of a key into one, and splits a key into its parts.
std::string join_key(const std::vector<std::string>& parts);
// Returns the k-th of `parts` keys that are joined to one.
std::string_view part_of_key(std::string_view key, std::size_t parts, std::size_t k);
// Returns the first n of `parts` keys that are joined to one, as join_key joins them.
std::string_view first_parts_of_key(std::string_view key, std::size_t parts, std::size_t n);
std::vector<std::string_view> parts_of_key(std::string_view key, std::size_t parts);

}  // namespace onefold::io
