// Refuses commas and blanks that may be parts of a text's numbers, if no option says what they
// mean.
//
//   throws  bad_token: the first such line
#pragma once

#include "onefold/io/table.hpp"

namespace onefold::io {

// Refuses a text of numbers that can be read in two ways: 1,5 is one number if the comma is the
// decimal mark; 1,000 is one in a line below 999.
void refuse_commas(const File& file, std::string_view text, bool whole, bool axes_told);
// Refuses "1 000", since no separate number is written 000 or 050; and 12 345 in a line below 678.
void refuse_blanks(const File& file, std::string_view text, bool whole);
// Refuses a delimiter that was guessed, if it may be a part of numbers: the commas of "1;21,5" and
// the blanks of "a 1 000" cut each line into equally many fields. Names above may have a comma,
// too.
//   columns  commas in lines such as 1,5 are known to separate columns
void refuse_marks(const File& file, std::string_view text, bool whole, const InputOptions& options,
                  const Table& table, bool columns);

}  // namespace onefold::io
