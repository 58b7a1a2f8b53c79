// Where the time of a rung goes, from what the simulated machine counts: why a rung is as fast as
// it is, and what its followers take away.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "lab/entry.hpp"
#include "lab/kernel.hpp"
#include "onefold/machine/sim/chip.hpp"

namespace onefold::lab {

// What a rung asks of a GPU over n elements. The path is that of thread 0 of block 0 in the first
// launch, which does all that any thread does.
struct Work {
  double launches = 0, blocks = 0, threads = 0;  // of the first launch; threads a block
  double bursts = 0;        // on the path: loads of elements that wait for nothing but one another
  double again = 0;         // of those, what the block has touched before: from a cache
  double barriers = 0;      // on the path
  double atomics = 0;       // on the path
  double divisions = 0;     // on the path, by numbers that are no constants
  double serial = 0;        // later launches that are as wide as the first
  double instructions = 0;  // of warps, all launches, as the text has them
  double wavefronts = 0;    // of shared memory
  double moved = 0;         // bytes of global memory, whole sectors or transactions
  double bytes = 0;         // of the input, once
};

//   block  threads; grid: blocks where the rung leaves them open
// Counted at a length of 2^17 and as many times as fit in n, block for block as at n.
Work work_of(const Entry& rung, Size n, unsigned block, Size grid,
             const sim::Chip& chip = sim::sm_90);

// What a chip takes for what a rung asks. Times in us, a clock's in its ticks.
struct ChipTimes {
  double multiprocessors = 0, threads_held = 0, blocks_held = 0;
  double clock = 0;               // ticks a us
  double launch = 0, begins = 0;  // each
  double load = 0, cached = 0, atomic = 0, barrier = 0, division = 0;
  double instruction = 0, wavefront = 0;  // ticks of a multiprocessor
  double memory = 0, caches = 0;          // bytes a us
};
// Fitted once to bench/results/lab_reduce_h200.json at n = 2^24.
extern const ChipTimes h200_times;
// By their data sheets, and text 002's copy of 112.4 GB/s. Machine instructions of one of the text,
// and the time of a division, are tuned to the 16 figures that the texts publish, within 2 x.
extern const ChipTimes gtx280_times, m2070_times;

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
