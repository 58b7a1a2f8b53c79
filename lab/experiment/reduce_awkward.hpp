// Finds other lengths at which a published kernel shows its flaw.
#pragma once

#include <string>

#include "lab/experiment/reduce.hpp"

namespace onefold::lab {

// Returns "at n = 1000: wrong_result", for the first awkward length and block that show a flaw.
// Empty if the row already has flaws, or is no published kernel.
std::string flaws_elsewhere(const ReduceRow& row);

}  // namespace onefold::lab
