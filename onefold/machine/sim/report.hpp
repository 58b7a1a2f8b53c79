// The flaws that a run on the simulated machine shows, and its counters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "onefold/machine/sim/host.hpp"

namespace onefold::sim {

// One kind of access: loads or stores, in global or shared memory.
struct Traffic {
  uint64_t requests = 0;  // warp-level accesses with at least one active lane
  uint64_t count = 0;     // sectors or transactions (global memory), wavefronts (shared memory)
  uint64_t ideal = 0;     // the smallest count that could carry the same bytes
  uint64_t bytes = 0;     // bytes that the active lanes asked for
  uint64_t moved = 0;     // bytes that were transferred

  Traffic& operator+=(const Traffic& o) {
    requests += o.requests, count += o.count, ideal += o.ideal, bytes += o.bytes, moved += o.moved;
    return *this;
  }
  bool operator==(const Traffic&) const = default;
};

struct Counters {
  Traffic global_load, global_store, shared_load, shared_store;
  uint64_t atomics = 0;             // warp-level, of global and shared memory
  uint64_t fences = 0;              // counted once for each warp
  uint64_t accesses = 0;            // loads, stores and atomics of lanes
  uint64_t warps = 0;               // warps that were launched
  uint64_t warp_instructions = 0;   // the above, branches, barriers and warp-wide steps
  uint64_t lane_instructions = 0;   // their active lanes, added up
  uint64_t branches = 0;            // conditions that depend on the thread, once for each warp
  uint64_t divergent_branches = 0;  // those whose result differs between lanes of a warp
  uint64_t barriers = 0;            // block barriers, once for each warp
  uint64_t barrier_rounds = 0;      // block barriers, once for each block

  double active_lanes() const {
    return warp_instructions == 0 ? 0 : double(lane_instructions) / double(warp_instructions);
  }
  double instructions_per_warp() const {
    return warps == 0 ? 0 : double(warp_instructions) / double(warps);
  }
};

// The counters of one source line.
struct LineCounters {
  Traffic global, shared;
  uint64_t instructions = 0, lanes = 0, divergent_branches = 0;
};

enum class FlawKind {
  race,                 // two accesses, at least one a store, that nothing orders
  barrier_not_reached,  // some threads of the block never reach a barrier, or have exited
  absent_lane,          // a warp-wide step names, or reads from, a lane that is absent
  uninitialised,        // a load of memory that nobody wrote
  out_of_bounds,
  dirty_ticket,  // a ticket is not zero after the launch
  wrong_result,
  no_progress,    // a wait for a word that nobody will write, or the budget is used up
  misaligned,     // an address is not a multiple of the access's size
  bad_mask,       // a lane is not in its own mask, or lanes give different masks
  split_warp,     // a sync_warp of the active lanes, after lanes took different branches
  mixed_barrier,  // at a named barrier the order of warps decides which threads meet
  bad_call,       // CUDA refuses what main() calls: a second free, a copy too long
};

// Whether a barrier or a warp-wide step went on without threads that it needs.
constexpr bool lacks_threads(FlawKind k) {
  return k == FlawKind::barrier_not_reached || k == FlawKind::absent_lane ||
         k == FlawKind::bad_mask;
}

constexpr const char* name_of(FlawKind k) {
  constexpr const char* names[] = {
      "race",         "barrier_not_reached", "absent_lane", "uninitialised", "out_of_bounds",
      "dirty_ticket", "wrong_result",        "no_progress", "misaligned",    "bad_mask",
      "split_warp",   "mixed_barrier",       "bad_call"};
  return names[static_cast<int>(k)];
}

// One flaw, described by its first occurrence.
struct Flaw {
  FlawKind kind{};
  Site at{};
  // A race: the earlier access's location; a wait: the last write's; a warp-wide step without some
  // of its lanes: that of the first such lane.
  Site other{};
  const char* space = "";  // name of the array
  uint64_t element = 0;
  int64_t offset = 0;  // bytes from the array's beginning to the access; may be negative
  unsigned bytes = 0;  // size of the access
  Kind did = Kind::load, other_did = Kind::load;  // for a race: the later access, the earlier one
  unsigned block = 0;
  // Threads of the block. A race: the later, then the earlier; a shuffle from a lane that is absent
  // or in no mask: the reader, then that lane; different masks: a lane of each.
  std::vector<unsigned> threads{};
  unsigned other_block = 0;
  uint32_t mask = 0, other_mask = 0;  // for a warp-wide step
  bool further_on = false;            // only a block that has not begun could end the wait
  bool apart = false;                 // a race: of launches or copies that streams leave unordered
  bool after_flaw = false;            // the budget after a step that lacked threads is used up
  Site ended{};  // a barrier: the last location of the first thread that lacks, if it has ended
  uint64_t times = 0;
};

struct Report {
  Counters counters;
  std::map<Site, LineCounters> lines;
  std::vector<Flaw> flaws;       // in the order in which they were found
  std::vector<Site> sync_sites;  // sync, sync_warp and inside: calls that a mutation may remove
  std::vector<Site> inside_sites;

  bool has(FlawKind k) const {
    for (const Flaw& f : flaws) {
      if (f.kind == k) return true;
    }
    return false;
  }
};

}  // namespace onefold::sim
