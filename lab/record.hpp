// A small run of a rung on the simulated machine, step by step, for a viewer to play.
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
  outside,  // an access out of bounds, which does nothing
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
  block,   // one begins
  landed,  // a bulk copy
};

// One warp instruction, or what a block or the host does.
struct Moment {
  Act act{};
  unsigned block = 0, warp = 0;
  uint32_t lanes = 0;  // bits; a branch: those that came to it
  sim::Site at{};
  unsigned space = 0;     // of Recording::spaces
  unsigned width = 1;     // elements a lane
  unsigned argument = 0;  // a shuffle's distance; a branch: lanes that take it; a launch:
                          // its blocks; a copy: elements; a barrier: the threads that wait
  std::vector<int64_t> elements{};  // by lane, in order; a copy: from, to; outside: may be negative
  std::vector<int64_t> values{};    // by lane: loaded, left in memory, or brought to the step
  std::vector<double> reals{};      // the values of floats
  std::array<unsigned, 4> cost{};   // of each chip of sim::chips
  std::vector<unsigned> flaws{};    // of Recording::flaws
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
  std::vector<sim::Flaw> flaws{};  // each at its first occurrence
  bool cut = false;                // there was more
  // Of a kernel of the user's: what arrays held at first, by name. Else all is ones.
  std::vector<std::pair<std::string, std::vector<double>>> contents{};
};

// Records `rung` over n ones (i32, sum) under one schedule: a cell's value is the number of
// elements it has taken in. The rung must run on a machine.
Recording record(const Entry& rung, bool twin, const Setting& setup, unsigned schedule);

// What the page shows of a rung: the corrected kernel in lock-step; of a twin the same, and the
// first of 16 schedules and some lengths that makes its sum wrong, or shows a flaw at least.
std::vector<Recording> recordings(const Entry& rung);

// As short as will do; lab/page/replay.js reads it.
nlohmann::ordered_json to_json(const Recording& recording);

}  // namespace onefold::lab
