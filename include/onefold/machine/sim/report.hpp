// The flaws and counters of a run of the simulated machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "onefold/machine/sim/host.hpp"

namespace onefold::sim {

// One kind of access: loads or stores, of global or shared memory.
struct Traffic {
  uint64_t requests = 0;  // warp-level accesses with at least one active lane
  uint64_t count = 0;     // sectors or transactions (global), wavefronts (shared)
  uint64_t ideal = 0;     // the fewest that could carry the same bytes
  uint64_t bytes = 0;     // asked for by the active lanes
  uint64_t moved = 0;     // crossed the wires

  Traffic& operator+=(const Traffic& o) {
    requests += o.requests, count += o.count, ideal += o.ideal, bytes += o.bytes, moved += o.moved;
    return *this;
  }
  bool operator==(const Traffic&) const = default;
};

struct Counters {
  Traffic global_load, global_store, shared_load, shared_store;
  uint64_t atomics = 0;             // warp-level, of global and shared memory
  uint64_t fences = 0;              // warp-level
  uint64_t accesses = 0;            // loads, stores and atomics of lanes
  uint64_t warps = 0;               // launched
  uint64_t warp_instructions = 0;   // all of these, branches, barriers and warp-wide steps
  uint64_t lane_instructions = 0;   // the active lanes of those, summed
  uint64_t branches = 0;            // conditions that depend on the thread, per warp
  uint64_t divergent_branches = 0;  // those that the lanes of a warp answer differently
  uint64_t barriers = 0;            // block barriers, per warp
  uint64_t barrier_rounds = 0;      // block barriers, per block

  double active_lanes() const {
    return warp_instructions == 0 ? 0 : double(lane_instructions) / double(warp_instructions);
  }
  double instructions_per_warp() const {
    return warps == 0 ? 0 : double(warp_instructions) / double(warps);
  }
};

// A source line's share.
struct LineCounters {
  Traffic global, shared;
  uint64_t instructions = 0, lanes = 0, divergent_branches = 0;
};

enum class FlawKind {
  race,                 // two accesses, one a store, with nothing between them
  barrier_not_reached,  // a barrier that some threads of the block never reach, exited ones too
  absent_lane,          // a warp-wide step that names, or reads from, a lane that is not there
  uninitialised,        // a load of what nobody wrote
  out_of_bounds,
  dirty_ticket,  // a ticket that is not zero after the launch
  wrong_result,
  no_progress,    // a wait for a word that nobody will write, or more work than the budget
  misaligned,     // an access that is not at a multiple of its size
  bad_mask,       // a warp-wide step of a lane that its mask leaves out, or of other masks
  split_warp,     // a sync_warp of whoever was active, after lanes went different ways
  mixed_barrier,  // a named barrier at which the order of warps decides who meets whom
  bad_call,       // a call of main() that CUDA refuses: a pointer freed twice, a copy too long
};

constexpr const char* name_of(FlawKind k) {
  constexpr const char* names[] = {
      "race",         "barrier_not_reached", "absent_lane", "uninitialised", "out_of_bounds",
      "dirty_ticket", "wrong_result",        "no_progress", "misaligned",    "bad_mask",
      "split_warp",   "mixed_barrier",       "bad_call"};
  return names[static_cast<int>(k)];
}

// One flaw, with its first occurrence.
struct Flaw {
  FlawKind kind{};
  Site at{};
  // A race: where the earlier access stands; a wait: the last write; a warp-wide step that lanes
  // miss: where the first of them is.
  Site other{};
  const char* space = "";  // the array
  uint64_t element = 0;
  int64_t offset = 0;  // of the access, in bytes from the array's begin: less than 0 before it
  unsigned bytes = 0;  // of the access
  Kind did = Kind::load, other_did = Kind::load;  // a race: the later, the earlier
  unsigned block = 0;
  // Of the block. A race: the later, then the earlier; a shuffle from a lane that is not there, of
  // no mask: the reader, then that one; lanes of other masks: one of each.
  std::vector<unsigned> threads{};
  unsigned other_block = 0;
  uint32_t mask = 0, other_mask = 0;  // of a warp-wide step
  bool further_on = false;            // a wait that only a block which has not begun can end
  uint64_t times = 0;
};

struct Report {
  Counters counters;
  std::map<Site, LineCounters> lines;
  std::vector<Flaw> flaws;       // in the order found
  std::vector<Site> sync_sites;  // sync, sync_warp and inside: what a mutation may take away
  std::vector<Site> inside_sites;

  bool has(FlawKind k) const {
    for (const Flaw& f : flaws) {
      if (f.kind == k) return true;
    }
    return false;
  }
};

}  // namespace onefold::sim
