// Counts warp instructions.
#pragma once

#include <vector>

#include "onefold/machine/sim/cost.hpp"
#include "onefold/machine/sim/report.hpp"
#include "onefold/machine/sim/sites.hpp"
#include "onefold/machine/sim/warp_log.hpp"

namespace onefold::sim {

class Counting {
 public:
  explicit Counting(const Chip& chip) : chip_(chip) {}

  // Counts a warp-wide step or a barrier.
  void step(uint32_t site, unsigned lanes) {
    ++counters.warp_instructions;
    counters.lane_instructions += lanes;
    LineCounters& l = line(site);
    ++l.instructions;
    l.lanes += lanes;
  }

  void instruction(const Step& s, std::span<Space* const> spaces) {
    const auto lanes = static_cast<unsigned>(std::popcount(s.lanes));
    const Kind kind = s.what.kind;
    step(s.what.site, lanes);
    LineCounters& l = line(s.what.site);
    Request r;
    r.bytes = s.what.bytes;
    for (uint32_t left = s.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      r.add(lane, s.value[lane]);
    }
    if (kind == Kind::branch) {
      const auto taken = std::count(r.address.begin(), r.address.begin() + lanes, 1u);
      const bool divergent = taken != 0 && taken != lanes;
      ++counters.branches;
      counters.divergent_branches += divergent;
      l.divergent_branches += divergent;
      return;
    }
    if (kind != Kind::fence) counters.accesses += lanes;
    if (kind == Kind::atomic || kind == Kind::fence) {
      ++(kind == Kind::atomic ? counters.atomics : counters.fences);
      return;
    }
    const bool shared = spaces[s.what.space]->shared;
    const Cost c = shared ? shared_cost(chip_, r) : global_cost(chip_, r);
    const Traffic t{1, c.count, c.ideal, uint64_t{r.bytes} * r.lanes, c.moved};
    const bool load = kind == Kind::load;
    (shared ? (load ? counters.shared_load : counters.shared_store)
            : (load ? counters.global_load : counters.global_store)) += t;
    (shared ? l.shared : l.global) += t;
  }

  LineCounters& line(uint32_t site) {
    if (site >= lines.size()) lines.resize(site + 1);
    return lines[site];
  }

  Counters counters;
  std::vector<LineCounters> lines;  // by the number of the source location

 private:
  Chip chip_;
};

}  // namespace onefold::sim
