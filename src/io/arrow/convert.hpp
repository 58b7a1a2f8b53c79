// Numbers of a stored type as elements of another.
//
//   floats    floats are rounded to nearest, if necessary; integers too, unless `exact` is given
//   integers  integers and bools that fit the type
//   missing   NaN; integers have no NaN, so a missing value is 0, and is left out by the caller
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "onefold/dtype.hpp"

namespace onefold::io::arrow {

// Can `from` become `to` at all?
bool converts(DType from, DType to);

struct Misfit {
  Size at;
  std::string what;
};
struct Conversion {
  bool exact = false;       // refuse integers that f64 does not hold
  bool leaves_out = false;  // of missing values, which then are anything
};
// n numbers; the first that cannot be is given, and what follows it is undefined.
//   present  0 for each that is missing; null: none is
std::optional<Misfit> convert(DType from, const std::byte* x, const unsigned char* present, Size n,
                              DType to, const Conversion& how, std::byte* out);

}  // namespace onefold::io::arrow
