// Numbers in the first line of a table that may name its columns: years, counts, quantiles.
#pragma once

#include <string>

#include "onefold/io/table_sample.hpp"

namespace onefold::io {

// Numbers as they name columns: 0..n-1 or 1..n, years, or quantiles, in ascending order.
enum class NumberNames : uint8_t { none, counts, years, parts };

// Returns what the cells of a line from column `from` on may name.
NumberNames number_names(const Line& line, std::size_t from);

// Returns a note for the user if the first line is taken as a row, and may have names: years, or
// 0..n-1 or 1..n, which the rows below do not continue. Two columns count only above fractions, as
// many tables begin with 0,1 or 1,2. Empty: it has none.
std::string remark_on_numbers(const Sample& sample);
// Returns the same note for a text that is not a table, unless blanks separate its numbers.
std::string remark_on_numbers(File& file, const InputOptions& options);

}  // namespace onefold::io
