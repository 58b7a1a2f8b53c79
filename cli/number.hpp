// Values as text: the shortest that reads back to the same bits in their own type.
#pragma once

#include <string>

#include "onefold/onefold.hpp"

namespace onefold::cli {

// 0.1, 1e+30, -0, inf, nan, true, 18446744073709551615; a bad status as its name.
void append_text(std::string& out, const Value& value);

// The same as JSON: floats keep a point or an exponent (-0.0 stays a negative zero), infinities and
// NaN are strings, a bad status is {"status": "overflow"}.
void append_json(std::string& out, const Value& value);

// 1.50 GB, 32.0 kB, 12 bytes: powers of ten.
std::string bytes_text(double bytes);

}  // namespace onefold::cli
