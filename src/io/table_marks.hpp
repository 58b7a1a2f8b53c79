// Refuses commas and blanks of a text that may be parts of its numbers, where no option says what
// they are.
//
//   throws  bad_token: the first such line
#pragma once

#include "io/table.hpp"

namespace onefold::io {

// Refuses a text of numbers that can be read in two ways: 1,5 is one number if the comma is the
// decimal mark, and so is 1,000 below 999.
void refuse_commas(const File& file, std::string_view text, bool whole, bool axes_told);
// Refuses "1 000", since no number of its own is written 000 or 050; and 12 345 below 678.
void refuse_blanks(const File& file, std::string_view text, bool whole);
// Refuses the delimiter of a table that was found, where it may be a part of numbers: the commas of
// 1;21,5 and the blanks of "a 1 000" cut lines alike. Names above may have a comma, too.
//   columns  lines such as 1,5 are known to have two columns
void refuse_marks(const File& file, std::string_view text, bool whole, const InputOptions& options,
                  const Table& table, bool columns);

}  // namespace onefold::io
