// Makes arrays of the kinds of data that the results name.
#pragma once

#include <string>

#include "harness.hpp"
#include "onefold/core/dtype.hpp"

namespace bench {

// kind: "normal" (mean 0, variance 1; integers: uniform over the type), "lognormal" (sigma 3),
// "random bits" (all patterns except NaN and infinities).
void fill(Buffer& buffer, onefold::DType dtype, const std::string& kind);

}  // namespace bench
