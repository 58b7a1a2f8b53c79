// Splits a table's lines into fields, and finds what each field may mean.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/number.hpp"
#include "io/table.hpp"

namespace onefold::io {

struct Field {
  std::string text;  // without quotes, and without blanks around what had none
  bool quoted = false;
  bool stray = false;  // a quote stands elsewhere than around it
};
using Line = std::vector<Field>;

bool is_blank(char c);
std::string_view trim(std::string_view s);

// A text as messages show it, as quote() has it.
inline std::string quote_text(std::string_view s) { return quote({s.data(), s.data() + s.size()}); }

// f(line, number) of each line, trimmed, numbered from 1, as long as it is true. Of a text that is
// not whole the last line may go on, and is left out. False: f was.
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

// Does a field begin at i? Quotes elsewhere are letters like others.
//   delimiter  0: any of those that are guessed
bool begins_field(const char* text, std::size_t i, char delimiter);

// Do lines end at a lone CR, as in texts of old Macs? The first line end says so.
bool ends_lines_at_cr(std::string_view text);
// Makes a line end of each CR outside of quotes, but for one that stands before a line end.
//   whole  the text ends here; else its last byte stays
void end_lines_at_cr(char* text, std::size_t n, char delimiter, bool whole);

// The fields of the line at `at`, which moves behind it. False: the text ends within quotes.
bool split(std::string_view text, std::size_t& at, char delimiter, Line& line);

std::string_view without_sign(std::string_view s);

// 1,000 and 1,234,567.5; no group of a number is a lone 0, as in 0,123
bool has_groups(std::string_view field, char mark, char decimal);
// 1,5 and 1,500; with groups, too: 1.234,5 and 1 234,50
bool has_comma(std::string_view field);

// A field in groups of three digits without the marks between them; others stay, as do those with a
// mark behind the decimal mark, which then are no numbers.
std::string without_groups(const std::string& field, char mark, char decimal);

// Returns a field with plain marks: 1234.5 for 1.234,5. Returns none if the field has a point that
// the table's marks do not allow.
std::optional<std::string> with_plain_marks(std::string field, const Table& table);

// A field as the number that it is by the table's marks, or why it is none.
NumberError number_of(std::string field, const Table& table, double& value, bool exact);
bool is_number(const std::string& field, const Table& table);

}  // namespace onefold::io
