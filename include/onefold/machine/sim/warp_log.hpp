// The events of a warp's lanes since its last stop, as warp instructions.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "onefold/machine/sim/log.hpp"
#include "onefold/machine/sim/sites.hpp"

namespace onefold::sim {

// Events of several lanes with equal values of this are certainly one warp instruction.
struct What {
  uint32_t site = 0;  // number of the place
  uint16_t space = 0;
  uint8_t bytes = 0;
  Kind kind{};

  friend bool operator==(What a, What b) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
  }
};

// One warp instruction.
struct Step {
  What what;
  uint32_t lanes = 0;  // that take part, a bit each
  // By lane: of an access the address in global or shared memory, of a branch whether it is taken.
  std::array<uint64_t, 32> value;

  explicit Step(What w) : what(w) {}

  void add(unsigned lane, uint64_t v) {
    lanes |= uint32_t{1} << lane;
    value[lane] = v;
  }
};

// While every lane does what the others do, some for longer than others, their events are warp
// instructions at once. From the first event that is not so each lane has its own log, and those
// are aligned. Both ways give the same: an align whose heads never differ takes them in this order.
class WarpLog {
 public:
  static constexpr std::size_t limit = 512;  // events of a lane

  // True if the lane's log is full.
  [[gnu::always_inline]] bool add(unsigned lane, What what, uint64_t value, const Sites& sites) {
    const uint32_t k = length_[lane]++;
    if (k < together_ && steps_[k].what == what) {
      steps_[k].add(lane, value);
    } else {
      add_slowly(lane, k, what, value, sites);
    }
    return k + 1 >= limit;
  }

  // Calls f(Step) for each warp instruction, and forgets them.
  template <class F>
  void flush(F f) {
    if (apart_) {
      std::array<LaneLog*, 32> logs;
      for (std::size_t l = 0; l < logs.size(); ++l) logs[l] = &logs_[l];
      align(std::span(logs), [&](const Group& g) {
        const Event& first = *g.event[0];
        Step step({first.site, first.space, first.bytes, first.kind});
        for (unsigned j = 0; j < g.lanes; ++j) step.add(g.lane[j], g.event[j]->offset);
        f(static_cast<const Step&>(step));
      });
      apart_ = false;
    } else {
      for (const Step& s : steps_) f(s);
    }
    steps_.clear();
    together_ = 0;
    length_.fill(0);
  }

 private:
  [[gnu::noinline]] void add_slowly(unsigned lane, uint32_t k, What what, uint64_t value,
                                    const Sites& sites) {
    const auto event = [&](What w, uint64_t v) {
      return Event{w.site, sites.order(w.site), v, w.space, w.bytes, w.kind};
    };
    if (!apart_ && k == steps_.size()) {
      steps_.emplace_back(what).add(lane, value);
      together_ = k + 1;
      return;
    }
    if (!apart_) {
      for (unsigned l = 0; l < 32; ++l) {
        const uint32_t n = l == lane ? k : length_[l];
        for (uint32_t j = 0; j < n; ++j) {
          logs_[l].events.push_back(event(steps_[j].what, steps_[j].value[l]));
        }
      }
      apart_ = true;
      together_ = 0;
    }
    logs_[lane].events.push_back(event(what, value));
  }

  std::vector<Step> steps_;
  uint32_t together_ = 0;  // steps_ that a lane may join; none once the lanes are apart
  bool apart_ = false;
  std::array<uint32_t, 32> length_{};
  std::array<LaneLog, 32> logs_;
};

}  // namespace onefold::sim
