// Computes where the time of a rung goes from the simulated machine's counters: why a rung is as
// fast as it is, and what later rungs save.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "lab/entry.hpp"
#include "lab/kernel.hpp"
#include "onefold/machine/sim/chip.hpp"

namespace onefold::lab {

// The work that a rung gives a GPU for n elements. The path is that of thread 0 of block 0 in the
// first launch, which does everything that any thread does.
struct Work {
  double launches = 0, blocks = 0, threads = 0;  // of the first launch; threads: of each block
  double bursts = 0;        // on the path: groups of loads that wait only for each other
  double again = 0;         // of those, loads that the block has made before: from a cache
  double barriers = 0;      // on the path
  double atomics = 0;       // on the path
  double divisions = 0;     // on the path: divisions by variables
  double serial = 0;        // later launches that are as wide as the first one
  double instructions = 0;  // warp instructions of all launches, counted in the source
  double wavefronts = 0;    // of shared memory
  double moved = 0;         // bytes of global memory, in whole sectors or transactions
  double bytes = 0;         // the input's bytes, counted once
};

//   block  threads; grid: blocks, if the rung does not fix them
// Counted at a length of 2^17, and multiplied; blocks have the same work as at n.
Work work_of(const Entry& rung, Size n, unsigned block, Size grid);

// The times that a chip takes for a rung's work: in us, or in ticks of its clock.
struct ChipTimes {
  double multiprocessors = 0, threads_held = 0, blocks_held = 0;
  double clock = 0;               // ticks in a us
  double launch = 0, begins = 0;  // each
  double load = 0, cached = 0, atomic = 0, barrier = 0, division = 0;
  double instruction = 0, wavefront = 0;  // ticks of a multiprocessor
  double memory = 0, caches = 0;          // bytes in a us
};
// Fitted once to bench/results/lab_reduce_h200.json at n = 2^24.
extern const ChipTimes h200_times;

enum class Part {
  launches,
  memory,
  latency,
  caches,
  barriers,
  instructions,
  banks,
  sectors,
  blocks
};
constexpr std::size_t part_count = 9;
std::string_view name_of(Part p);
std::string_view sentence_of(Part p);

struct TimeParts {
  std::array<double, part_count> us{};
  double sum() const;
  Part limit() const;  // the largest
};

TimeParts time_of(const Work& w, const ChipTimes& chip = h200_times);

}  // namespace onefold::lab
