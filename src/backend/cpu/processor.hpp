// Choices that depend on the processor at hand, besides its instruction sets.
#pragma once

#include <cstddef>

#include "backend/cpu/feed.hpp"

namespace onefold::cpu_backend {

struct Processor {
  bool amd;
  unsigned family, model;  // as AMD and Intel write them, the extended parts added
};
Processor this_processor();

// Does it take an operation on 512 bits for two of 256? Of those that have such operations, Zen 4
// does.
bool splits_512_bits(Processor p);

// How many bytes ahead of their loads feeds ask for memory; 0: nowhere beyond what is being loaded.
// To ask for that takes the place of a load: nothing where arithmetic is the limit, 10 to 20 % of
// sum u64 from L2. So integers and extremes, which have little of it, do not ask at all then.
std::size_t prefetch_for(Processor p);

// That of this processor, chosen when the program starts. Answers do not depend on it; tests and
// benchmarks may set it while nothing folds.
extern std::size_t prefetch_ahead;

}  // namespace onefold::cpu_backend
