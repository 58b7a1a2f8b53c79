// Splits a table's lines into fields, and finds what each field may mean.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/io/number.hpp"
#include "onefold/io/table.hpp"

namespace onefold::io {

struct Field {
  std::string text;  // without its quotes, or without the blanks around it
  bool quoted = false;
  bool stray = false;  // a quote stands elsewhere than at its ends
};
using Line = std::vector<Field>;

bool is_blank(char c);
std::string_view trim(std::string_view s);

// A text as messages show it, as quote() has it.
inline std::string quote_text(std::string_view s) { return quote({s.data(), s.data() + s.size()}); }

// Calls f(line, number) for each line without the blanks at its ends, as long as f returns true.
// Lines are numbered from 1. If the text is not whole, its last line may go on, and is left out.
// Returns false if f did.
template <class F>
bool over_lines(std::string_view text, bool whole, F f) {
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos && !whole) break;
    const std::string_view line = trim(text.substr(at, std::min(end, text.size()) - at));
    at = end == text.npos ? text.size() : end + 1;
    if (!f(line, ++number)) return false;
  }
  return true;
}

// Whether a field begins at i. A quote elsewhere than at its begin is an ordinary character.
//   delimiter  0: any of those that are guessed
bool begins_field(const char* text, std::size_t i, char delimiter);

// Whether lines end at a lone CR, as in texts of old Macs: judged by the first line end.
bool ends_lines_at_cr(std::string_view text);
// Turns each CR outside of quotes into an LF, except before an LF.
//   whole  the text ends here; else its last byte stays as it is
void end_lines_at_cr(char* text, std::size_t n, char delimiter, bool whole);

// Splits the line at `at` into fields, and moves `at` behind it. Returns false if the text ends
// within quotes.
bool split(std::string_view text, std::size_t& at, char delimiter, Line& line);

std::string_view without_sign(std::string_view s);

// Whether a field is like 1,000 or 1,234,567.5; not 0,123, since no such number begins with a lone
// 0.
bool has_groups(std::string_view field, char mark, char decimal);
// Whether a field is like 1,5 or 1,500; also with groups: 1.234,5 and 1 234,50.
bool has_comma(std::string_view field);

// Returns a field like 1,000 without the marks between groups of three digits. Other fields stay as
// they are, also those with such a mark behind the decimal mark, which are no numbers.
std::string without_groups(const std::string& field, char mark, char decimal);

// Returns a field with plain marks: 1234.5 for 1.234,5, and 5 for $5 if the table's numbers are
// loose. Returns none if the field has a point that the table's marks do not allow.
std::optional<std::string> with_plain_marks(std::string field, const Table& table);

// Returns a text without the signs that --numbers loose takes, and with blanks for hard ones.
std::string without_all_loose_signs(std::string_view text);

// Parses a field as a number with the table's marks, or returns why it is none.
//   T  double, int64_t, uint64_t
template <class T>
NumberError number_of(std::string field, const Table& table, T& value, bool exact);
bool is_number(const std::string& field, const Table& table);
// Whether a field has only digits, points and marks of numbers, but is no number, as 1.2.3 and
// 0x10. A column's name has a letter, or a dash as in 2024-01-01.
bool is_broken_number(std::string_view field);

// Turns the lines that are `copy`, outside of quotes, into blanks. Returns how many they are.
//   whole  as below
std::size_t blank_copies(char* text, std::size_t n, char delimiter, std::string_view copy,
                         bool whole);
// Turns the lines that begin with `mark`, outside of quotes, into blanks.
//   whole  the text ends here; else its last line may go on, and stays as it is
void blank_comments(char* text, std::size_t n, char delimiter, char mark, bool whole);

}  // namespace onefold::io
