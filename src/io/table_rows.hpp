// Parses a piece of a table into numbers; those of one column are contiguous.
//
// A permutation of bytes first turns the table's delimiter and decimal mark into a comma and a
// point, so one loop parses every kind of table; the inverse restores the text for messages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/number.hpp"
#include "io/table.hpp"
#include "plan/decimal_terms.hpp"

namespace onefold::io {

// The facts of a table that a loop over its bytes needs.
struct RowLayout {
  explicit RowLayout(const Table& table, Integers integers);

  std::vector<int> slot;       // of each column; -1: its fields are skipped
  std::vector<Fields> fields;  // of each slot
  bool blanks = false;         // runs of blanks are the delimiter; else a comma is
  bool exact = false;          // of f64, terms are noted
  bool refuses = false;        // and integers that it does not hold are refused
  bool skip_bad = false;
  bool pointed = false;
  bool quoted_commas =
      false;  // the decimal mark is the delimiter too, where no quotes are around it
  bool keeps_starts = false;
  std::vector<double> sentinels;  // numbers that mean: missing
  const Table* table = nullptr;

  // Bytes that change places, and back.
  void put_in_place(char* begin, char* end) const;
  void put_back(char* begin, char* end) const;
  std::string as_it_stood(std::string_view text) const;

 private:
  char from_[3] = {}, to_[3] = {};
};

struct RowProblem {
  static constexpr Size no_column = none;
  ErrorCode code = ErrorCode::bad_token;
  Size line = 0;    // within the piece, from 0
  Size column = 0;  // from 0; or no_column
  std::string what;
};

struct ParsedRows {
  Size rows = 0;
  std::vector<Size> starts;  // where each begins; only where the table has keys
  Size line_ends = 0;
  Size bad = 0;                       // lines left out
  std::optional<RowProblem> problem;  // the first
  std::vector<Size> missing;          // places of missing values, as those of values: NaN, or 0 of
                                      // integers
  std::vector<DecimalTerm> terms;     // what f64 do not tell of values, if the layout is exact
  std::vector<Size> texts;            // places of text in columns that are unknown
};

// Parses lines that are whole; the last may lack its end.
//   begin     32 bytes before it can be read
//   end       text_padding bytes behind it are line ends
//   values    of slot s and row r at s * capacity + r
//   capacity  at least capacity_of(end - begin)
ParsedRows parse_rows(DType t, const RowLayout& layout, const char* begin, const char* end,
                      void* values, Size capacity, bool plain = false);
Size capacity_of(const RowLayout& layout, std::size_t bytes);

// The keys of a line that has been parsed, by the table's `by`: the text of a field, without quotes
// and blanks around it; of several fields each behind its length, in 4 bytes.
//   line  where it begins
void append_key(const RowLayout& layout, const char* line, const char* end, std::string& key);
// Joins the parts of a key into one, and splits a key into its parts.
std::string join_key(const std::vector<std::string>& parts);
// Returns the k-th of `parts` keys that are joined to one.
std::string_view part_of_key(std::string_view key, std::size_t parts, std::size_t k);
std::vector<std::string_view> parts_of_key(std::string_view key, std::size_t parts);

}  // namespace onefold::io
