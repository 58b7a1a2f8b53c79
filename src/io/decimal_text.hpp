// Writes the f64 of short decimals in a quarter of the time that any f64 takes.
#pragma once

#include <string>

namespace onefold::io {

// Appends the fewest digits that read back to x, without exponent, if they are at most 15. Else
// returns false and appends nothing.
//   x  of a magnitude from 1e-3 to below 1e15
bool append_short_decimal(std::string& out, double x);

}  // namespace onefold::io
