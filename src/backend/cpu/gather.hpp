// Gathers the states of some answers of a walk, with threads.
#pragma once

#include "backend/cpu/gatherer.hpp"
#include "backend/cpu/loops.hpp"

namespace onefold::cpu_backend {

// Adds the answers [begin, end) of the walk to states, canonical before and after; the first state
// is that of answer `begin` of the walk, whatever its number.
//   in       where the walk begins
//   threads  at most, the caller's among them; 0: one per core
void gather(const Plan& plan, const Loops& loops, Inputs in, Size begin, Size end, int64_t* states,
            int threads);

// How many elements of a plan its mask takes, over all answers.
Size count_taken(const Plan& plan);

// Where the walk begins, of arrays that begin at x (and y).
Inputs inputs_of(const Plan& plan, const Loops& loops, const void* x, const void* y);

}  // namespace onefold::cpu_backend
