// Settings that depend on the processor model rather than on its instruction sets.
#pragma once

#include <cstddef>

#include "onefold/cpu/feed.hpp"

namespace onefold::cpu_backend {

struct Processor {
  bool amd;
  unsigned family, model;  // in AMD's and Intel's numbering, with the extended bits
};
Processor this_processor();

// Returns whether the processor runs a 512-bit operation as two 256-bit operations, as Zen 4 does.
bool splits_512_bits(Processor p);

// Returns how many bytes ahead of their loads feeds prefetch; 0: only the line being loaded. A
// prefetch uses a load slot. That costs nothing where arithmetic is the limit, but 10 to 20 % of
// sum u64 from L2. With 0, feeds with little arithmetic (integers, extremes) do not prefetch.
std::size_t prefetch_for(Processor p);

// The value for this processor, set when the program starts. It never changes an answer. Tests and
// benchmarks may set it while no fold runs.
extern std::size_t prefetch_ahead;

}  // namespace onefold::cpu_backend
