// Writes floats with the fewest digits that read back to them.
#pragma once

#include <string>
#include <string_view>

namespace onefold::io {

// Returns whether a number whose shortest digits are `scientific` (1.5e-05) is written without
// exponent. As in Python, that is so from 1e-4 to below 1e16: then a shell's $((x + 1)) can read
// it, and the numbers of a column look alike.
bool is_fixed(std::string_view scientific);

// Returns the fewest digits that read back to x: 100000, 0.1, 1e+22, -0, inf; and nan for any NaN.
// Without exponent an integer has all its digits.
template <class F>
std::string shortest_text(F x);

// Appends the same in a quarter of the time if x has at most 15 digits. Else returns false and
// appends nothing.
//   x  of a magnitude from 1e-3 to below 1e15
bool append_short_decimal(std::string& out, double x);

}  // namespace onefold::io
