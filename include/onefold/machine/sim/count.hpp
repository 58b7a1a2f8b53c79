// Numbers for source places, and the counters of warp instructions.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "onefold/machine/sim/cost.hpp"
#include "onefold/machine/sim/log.hpp"
#include "onefold/machine/sim/report.hpp"

namespace onefold::sim {

// Places of the kernel text, numbered as they are met.
class Sites {
 public:
  uint32_t number(const Site& s) {
    const auto hash = static_cast<std::size_t>(s.line * 131 + s.column * 7) % recent_.size();
    Recent& r = recent_[hash];
    if (r.site.file == s.file && r.site.line == s.line && r.site.column == s.column)
      return r.number;
    const auto [it, fresh] = numbers_.try_emplace(s, static_cast<uint32_t>(sites_.size()));
    if (fresh) sites_.push_back(s);
    r = {s, it->second};
    return it->second;
  }
  const Site& operator[](uint32_t number) const { return sites_[number]; }
  std::size_t size() const { return sites_.size(); }

 private:
  struct Recent {
    Site site;
    uint32_t number = 0;
  };
  std::array<Recent, 512> recent_{};
  std::map<Site, uint32_t> numbers_;
  std::vector<Site> sites_;
};

// Where a place stands in its text, as a number in text order.
constexpr uint32_t text_order(const Site& s) { return s.line << 10 | (s.column & 1023); }

class Counting {
 public:
  explicit Counting(const Chip& chip) : chip_(chip) {}

  // A warp-wide step or barrier.
  void step(uint32_t site, unsigned lanes) {
    ++counters.warp_instructions;
    counters.lane_instructions += lanes;
    LineCounters& l = line(site);
    ++l.instructions;
    l.lanes += lanes;
  }

  void instruction(const Group& g, const std::vector<Space*>& spaces) {
    const Event& first = *g.event[0];
    step(first.site, g.lanes);
    LineCounters& l = line(first.site);
    if (first.kind == Kind::branch) {
      unsigned taken = 0;
      for (unsigned j = 0; j < g.lanes; ++j) taken += g.event[j]->offset != 0;
      const bool divergent = taken != 0 && taken != g.lanes;
      ++counters.branches;
      counters.divergent_branches += divergent;
      l.divergent_branches += divergent;
      return;
    }
    if (first.kind != Kind::fence) counters.accesses += g.lanes;
    if (first.kind == Kind::atomic || first.kind == Kind::fence) {
      ++(first.kind == Kind::atomic ? counters.atomics : counters.fences);
      return;
    }
    Request r;
    r.bytes = first.bytes;
    const Space& space = *spaces[first.space];
    for (unsigned j = 0; j < g.lanes; ++j) {
      r.add(g.lane[j], spaces[g.event[j]->space]->bank_base + g.event[j]->offset);
    }
    const Cost c = space.shared ? shared_cost(chip_, r) : global_cost(chip_, r);
    const Traffic t{1, c.count, c.ideal, uint64_t{r.bytes} * r.lanes, c.moved};
    const bool load = first.kind == Kind::load;
    (space.shared ? (load ? counters.shared_load : counters.shared_store)
                  : (load ? counters.global_load : counters.global_store)) += t;
    (space.shared ? l.shared : l.global) += t;
  }

  LineCounters& line(uint32_t site) {
    if (site >= lines.size()) lines.resize(site + 1);
    return lines[site];
  }

  Counters counters;
  std::vector<LineCounters> lines;  // by number of the place

 private:
  Chip chip_;
};

}  // namespace onefold::sim
