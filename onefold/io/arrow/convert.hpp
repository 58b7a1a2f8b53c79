// Converts numbers of a stored type to elements of another type.
//
//   floats    rounded to nearest if necessary; integers are rounded, too, unless `exact` is given
//   integers  only from integers and bools that fit the type
//   missing   becomes NaN; for integers 0, and the caller leaves it out
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "onefold/core/dtype.hpp"

namespace onefold::io::arrow {

// Returns whether type `from` can ever become `to`.
bool converts(DType from, DType to);

struct Misfit {
  Size at;
  std::string what;
};
struct Conversion {
  bool exact = false;       // refuse integers that f64 does not hold
  bool leaves_out = false;  // missing values are left out, so they may be anything
};
// Converts n numbers. Returns the first that cannot be converted; all after it are undefined.
//   present  0 for each missing number; null: none is missing
std::optional<Misfit> convert(DType from, const std::byte* x, const unsigned char* present, Size n,
                              DType to, const Conversion& how, std::byte* out);

}  // namespace onefold::io::arrow
