// The events of a warp's lanes since its last stop, grouped into warp instructions.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "onefold/machine/sim/log.hpp"
#include "onefold/machine/sim/sites.hpp"

namespace onefold::sim {

// Events of several lanes whose values of this are equal certainly are one warp instruction.
struct What {
  uint32_t site = 0;  // number of the source location
  uint16_t space = 0;
  uint8_t bytes = 0;
  Kind kind{};

  friend bool operator==(What a, What b) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
  }
};

// One warp instruction of the log.
struct Step {
  What what;
  uint32_t lanes = 0;  // lanes that take part, one bit each
  // For each lane: an access's address in global or shared memory; whether a branch is taken.
  std::array<uint64_t, 32> value;

  explicit Step(What w) : what(w) {}

  void add(unsigned lane, uint64_t v) {
    lanes |= uint32_t{1} << lane;
    value[lane] = v;
  }
};

// While all lanes execute the same events, some further than others, events become warp
// instructions at once. From the first difference on each lane has its own log, and the logs are
// aligned later. Both ways give the same result, since aligning equal logs keeps this order.
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

  // Calls f(Step) for each warp instruction, and empties the log.
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
  uint32_t together_ = 0;  // the steps_ that a lane may join; none once lanes differ
  bool apart_ = false;
  std::array<uint32_t, 32> length_{};
  std::array<LaneLog, 32> logs_;
};

}  // namespace onefold::sim
