// The rungs of an experiment: first the path of ten, then the others in the order of the tutorials.
#pragma once

#include <span>

#include "lab/entry.hpp"

namespace onefold::lab {

std::span<const Entry* const> reduce_ladder();

// The rungs with which to begin, in the order of learning.
inline std::span<const Entry* const> reduce_path() { return reduce_ladder().first(10); }

// Returns null if there is no rung of this name.
const Entry* find_rung(std::span<const Entry* const> ladder, std::string_view name);

}  // namespace onefold::lab
