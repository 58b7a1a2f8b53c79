// Where a published kernel shows its flaw, if not at the length that was asked for.
#pragma once

#include <string>

#include "lab/experiment/reduce.hpp"

namespace onefold::lab {

// "at n = 1000: wrong_result", of the first awkward length and block that show one; empty for rows
// that have flaws already, or are none of a published kernel.
std::string flaws_elsewhere(const ReduceRow& row);

}  // namespace onefold::lab
