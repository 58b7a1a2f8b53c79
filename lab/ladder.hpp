// The rungs of an experiment: the path of ten, then the others in the order of the texts.
#pragma once

#include <span>

#include "lab/entry.hpp"

namespace onefold::lab {

std::span<const Entry* const> reduce_ladder();

// The rungs to begin with, in the order of learning.
inline std::span<const Entry* const> reduce_path() { return reduce_ladder().first(10); }

// Null if there is none of that name.
const Entry* find_rung(std::span<const Entry* const> ladder, std::string_view name);

}  // namespace onefold::lab
