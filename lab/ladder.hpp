// The rungs of an experiment, in the order of the texts.
#pragma once

#include <span>

#include "lab/entry.hpp"

namespace onefold::lab {

std::span<const Entry* const> reduce_ladder();

// Null if there is none of that name.
const Entry* find_rung(std::span<const Entry* const> ladder, std::string_view name);

}  // namespace onefold::lab
