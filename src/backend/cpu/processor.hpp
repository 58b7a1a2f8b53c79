// Choices that depend on the processor at hand, besides its instruction sets.
#pragma once

#include <cstddef>

#include "backend/cpu/feed.hpp"

namespace onefold::cpu_backend {

struct Processor {
  bool amd;
  unsigned family, model;  // as AMD and Intel write them, with the extended parts
};
Processor this_processor();

// Does it take an operation on 512 bits for two of 256? Of those that have such operations, Zen 4
// does.
bool splits_512_bits(Processor p);

// How many bytes ahead of their loads feeds prefetch; 0: they prefetch only what is being loaded. A
// prefetch takes the place of a load. That costs nothing if arithmetic is the limit, but 10 to 20 %
// of sum u64 from L2. So feeds of integers and extremes, which have little arithmetic, do not
// prefetch then.
std::size_t prefetch_for(Processor p);

// The value for this processor, chosen when the program starts. Answers do not depend on it; tests
// and benchmarks may set it while no fold runs.
extern std::size_t prefetch_ahead;

}  // namespace onefold::cpu_backend
