// A small run of a rung on the simulated machine, recorded step by step, for the page to play.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/simulate.hpp"

namespace onefold::lab {

// What a step is. The page's script has the same list.
enum class Act : uint8_t {
  load,
  store,
  atomic,
  branch,
  fence,
  outside,  // an access out of bounds, which is not made
  sync_warp,
  shuffle_down,
  shuffle_up,
  shuffle_xor,
  shuffle,
  vote,
  fold,
  barrier,
  grid_barrier,
  launch,
  block,   // a block begins
  landed,  // a bulk copy has arrived
};

// One warp instruction, or an event of a block or the host.
struct Moment {
  Act act{};
  unsigned block = 0, warp = 0;
  uint32_t lanes = 0;  // a bit each; for a branch, the lanes that reached it
  sim::Site at{};
  unsigned space = 0;               // an index into Recording::spaces
  unsigned width = 1;               // elements of each lane
  unsigned argument = 0;            // a shuffle: distance; a branch: lanes that take it; a launch:
                                    // blocks; a copy: elements; a barrier: threads that wait
  std::vector<int64_t> elements{};  // by lane, in order; a copy: from, to; outside: may be negative
  std::vector<int64_t> values{};    // by lane: loaded, left in memory, or brought to the step; a
                                    // copy: the space that it is from
  std::vector<double> reals{};      // values, if they are floats
  std::array<unsigned, 4> cost{};   // one for each chip of sim::chips
  std::vector<unsigned> flaws{};    // indices into Recording::flaws
};

struct RecordedSpace {
  std::string name;
  bool shared = false;
  std::size_t size = 0;       // elements
  std::size_t bank_base = 0;  // bytes
  unsigned grain = 4;         // bytes an element
};

struct Recording {
  Setting setting{};
  unsigned schedule = 0;
  bool twin = false;
  Outcome outcome{};
  std::vector<RecordedSpace> spaces{};
  std::vector<Moment> moments{};
  std::vector<sim::Flaw> flaws{};  // the first occurrence of each
  bool cut = false;                // the run had more moments
  // For a user's kernel: the arrays' first contents, by name. Otherwise all elements are 1.
  std::vector<std::pair<std::string, std::vector<double>>> contents{};
};

// Records `rung` (sum of i32) over n ones under one schedule, so that a cell's value is the number
// of elements in it. The rung must have a kernel.
Recording record(const Entry& rung, bool twin, const Setting& setup, unsigned schedule);

// Returns what the page shows of a rung: the corrected kernel in lock-step; for a twin also the
// first of 16 schedules and some lengths that makes its sum wrong, or at least shows a flaw.
std::vector<Recording> recordings(const Entry& rung);

// Returns short JSON, which lab/page/replay.js reads.
nlohmann::ordered_json to_json(const Recording& recording);

}  // namespace onefold::lab
