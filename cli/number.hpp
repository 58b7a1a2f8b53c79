// Writes values as Python does: with the fewest digits that read back to the same bits in the
// value's type, and without exponent from 1e-4 to below 1e16, where integers have all their
// digits.
#pragma once

#include <string>

#include "onefold/fold.hpp"

namespace onefold::cli {

//   precision  the most significant digits of a float, rounded to nearest; 0: as many as needed
//
// Appends 0.1, 100000, 1e+30, -0, inf, nan, true, 18446744073709551615; for a bad status its name.
void append_text(std::string& out, const Value& value, int precision = 0);

// Appends a value as JSON: floats keep a point or an exponent (-0.0 stays a negative zero),
// infinities and NaN are strings, a bad status is {"status": "overflow"}.
void append_json(std::string& out, const Value& value, int precision = 0);

// Returns bytes in units of powers of ten: 1.50 GB, 32.0 kB, 12 bytes.
std::string bytes_text(double bytes);

}  // namespace onefold::cli
