// Lists of columns, as people write them: `temp,2,5-8,rain_*`. A word in quotes is a name and may
// contain any characters: `"with, comma"`; "" in it stands for a quote.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onefold::io {

struct ListWord {
  std::string text;
  bool quoted = false;
};

// Splits at commas, but not within quotes or parentheses: city,-"a,b",-quantile(x, 0.9).
std::vector<ListWord> words_of_list(std::string_view list);

// Returns the list of these names, each in quotes.
std::string list_of_names(const std::vector<std::string>& names);

// Returns whether a name matches a pattern, in which each * stands for any characters.
bool matches(std::string_view pattern, std::string_view name);

// Returns whether a list is one name or one number, not a range, a pattern or several.
bool is_one_column(std::string_view list);

}  // namespace onefold::io
