// Gathers the states of some answers of a loop nest, on several threads.
#pragma once

#include "onefold/cpu/gatherer.hpp"
#include "onefold/cpu/loops.hpp"

namespace onefold::cpu_backend {

// Adds all elements of the answers [begin, end) to their states, which are canonical before and
// after. Answers are numbered in the order of the loops; states[0] belongs to answer `begin`.
//   in       the position of the first element
//   threads  the most threads to use, including the caller's; 0: one per core
void gather(const Plan& plan, const Loops& loops, Inputs in, Size begin, Size end, int64_t* states,
            int threads);

// The number of elements that a plan's mask selects, over all answers.
Size count_taken(const Plan& plan);

// Returns the position of the first element that the loops read, for arrays that begin at x and y.
Inputs inputs_of(const Plan& plan, const Loops& loops, const void* x, const void* y);

}  // namespace onefold::cpu_backend
