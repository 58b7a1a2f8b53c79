// The fields of a table's lines, and what each may be meant as.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/number.hpp"
#include "io/table.hpp"

namespace onefold::io {

struct Field {
  std::string text;  // without quotes, and without blanks around what had none
  bool quoted = false;
};
using Line = std::vector<Field>;

bool is_blank(char c);
std::string_view trim(std::string_view s);

// The fields of the line at `at`, which moves behind it. False: the text ends within quotes.
bool split(std::string_view text, std::size_t& at, char delimiter, Line& line);

std::string_view without_sign(std::string_view s);

// 1,000 and 1,234,567.5
bool has_groups(std::string_view field, char mark, char decimal);
// 1,5 and 1,500
bool has_comma(std::string_view field);

// A field as the number that it is by the table's marks, or why it is none.
NumberError number_of(std::string field, const Table& table, double& value, bool exact);
bool is_number(const std::string& field, const Table& table);

}  // namespace onefold::io
