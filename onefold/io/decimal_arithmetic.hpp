// Computes with f64 that stand for short decimals, as numbers of a text do: 0.1 + 0.2 is 0.3.
#pragma once

#include <cstdint>
#include <optional>

namespace onefold::io {

enum class Arithmetic : uint8_t { add, subtract, multiply, remainder, bin };

// Returns the f64 nearest to the exact result for two decimals of at most 15 digits. A zero has no
// sign.
//   none  an operand or the result has more digits; an operand is subnormal or not finite; y is 0
//         and divides
std::optional<double> of_decimals(Arithmetic op, double x, double y);

}  // namespace onefold::io
