// Numbers of a stored type as elements of another.
//
//   floats    of floats: rounded to nearest, if at all; of integers too where `exact` is not asked
//   integers  of integers and bools that they hold
//   missing   NaN; integers have none, and are 0 where missing values are left out
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
