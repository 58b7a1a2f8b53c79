// Gathers the states of some answers of a loop nest, on several threads.
#pragma once

#include "backend/cpu/gatherer.hpp"
#include "backend/cpu/loops.hpp"

namespace onefold::cpu_backend {

// Adds the elements of the answers [begin, end) of the loops to their states, which are canonical
// before and after. states[0] belongs to answer `begin` in the order of the loops, whatever its
// number in C order.
//   in       the first element of the loops
//   threads  at most, the caller's among them; 0: one per core
void gather(const Plan& plan, const Loops& loops, Inputs in, Size begin, Size end, int64_t* states,
            int threads);

// The number of elements that a plan's mask selects, over all answers.
Size count_taken(const Plan& plan);

// The first element of the loops, for arrays that begin at x (and y).
Inputs inputs_of(const Plan& plan, const Loops& loops, const void* x, const void* y);

}  // namespace onefold::cpu_backend
