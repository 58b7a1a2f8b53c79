// Feeds the elements of answers that a mask takes.
#pragma once

#include <memory>
#include <span>

#include "backend/cpu/gatherer.hpp"
#include "backend/cpu/loops.hpp"

namespace onefold::cpu_backend {

// Adds the elements [begin, end) of the answers [first, last) that the plan's mask takes to states,
// the first of which is that of `first`.
void gather_taken(const Plan& plan, const Loops& loops, std::span<const Feed* const> feeds,
                  Inputs in, Size first, Size last, Size begin, Size end, int64_t* states);

// How many elements of a plan its mask takes, over all answers.
Size count_taken(const Plan& plan);

}  // namespace onefold::cpu_backend
