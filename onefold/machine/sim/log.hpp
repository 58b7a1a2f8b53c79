// The accesses of a warp's lanes since their last stop, which are grouped into warp instructions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "onefold/machine/sim/host.hpp"

namespace onefold::sim {

struct Event {
  uint32_t site;    // number of the source location
  uint32_t place;   // line and column as one number
  uint64_t offset;  // in bytes; for a branch, whether it was taken
  uint16_t space;
  uint8_t bytes;
  Kind kind;

  bool same_instruction(const Event& o) const { return site == o.site && kind == o.kind; }
};

struct LaneLog {
  std::vector<Event> events;
  std::size_t head = 0;
  uint32_t backward = 0;  // jumps back in the source since the last stop
};

// One warp instruction: the event of each lane that takes part.
struct Group {
  unsigned lanes = 0;
  std::array<uint8_t, 32> lane;
  std::array<const Event*, 32> event;

  void add(unsigned l, const Event* e) {
    lane[lanes] = static_cast<uint8_t>(l);
    event[lanes++] = e;
  }
};

namespace detail {

// Returns after how many events `log` has the instruction of `e`; `far` if it is not near.
inline unsigned meets(const LaneLog& log, const Event& e) {
  constexpr unsigned far = 64;
  for (unsigned d = 1; d < far && log.head + d < log.events.size(); ++d) {
    if (log.events[log.head + d].same_instruction(e)) return d;
  }
  return far;
}

// If the lanes' next events differ, picks the instruction to run: the one that other lanes reach
// latest, then that with the fewest backward jumps, then the first in the source. (Only by source
// order, a loop with a rare slow path gave 2,144 requests; by hand they are 2,072.)
inline const Event* next_head(const Group& heads, std::span<LaneLog*> logs) {
  std::array<unsigned, 32> kind_of{};  // for each lane, the first lane with the same next event
  const Event* best = nullptr;
  unsigned best_soon = 0, best_backward = 0;
  for (unsigned a = 0; a < heads.lanes; ++a) {
    unsigned first = 0;
    while (!heads.event[first]->same_instruction(*heads.event[a])) ++first;
    kind_of[a] = first;
  }
  for (unsigned a = 0; a < heads.lanes; ++a) {
    if (kind_of[a] != a) continue;
    unsigned soon = 64;
    for (unsigned o = 0; o < heads.lanes; ++o) {
      if (kind_of[o] != o || o == a) continue;  // only one of several equal lanes is examined
      soon = std::min(soon, meets(*logs[heads.lane[o]], *heads.event[a]));
    }
    const unsigned backward = logs[heads.lane[a]]->backward;
    const Event* e = heads.event[a];
    const bool better =
        best == nullptr || soon > best_soon ||
        (soon == best_soon &&
         (backward < best_backward || (backward == best_backward && e->place < best->place)));
    if (better) best = e, best_soon = soon, best_backward = backward;
  }
  return best;
}

}  // namespace detail

// Calls f(Group) for each warp instruction in `logs`, and empties `logs`.
template <class F>
void align(std::span<LaneLog*> logs, F f) {
  for (LaneLog* l : logs) l->head = 0, l->backward = 0;
  Group g;
  for (;;) {
    g.lanes = 0;
    bool same = true;
    for (unsigned j = 0; j < logs.size(); ++j) {
      if (logs[j]->head == logs[j]->events.size()) continue;
      g.add(j, &logs[j]->events[logs[j]->head]);
      same = same && g.event[0]->same_instruction(*g.event[g.lanes - 1]);
    }
    if (g.lanes == 0) break;
    if (!same) {
      const Event* chosen = detail::next_head(g, logs);
      Group part;
      for (unsigned i = 0; i < g.lanes; ++i) {
        if (g.event[i]->same_instruction(*chosen)) part.add(g.lane[i], g.event[i]);
      }
      g = part;
    }
    f(static_cast<const Group&>(g));
    for (unsigned i = 0; i < g.lanes; ++i) {
      LaneLog& l = *logs[g.lane[i]];
      const Event& was = l.events[l.head++];
      if (l.head < l.events.size() && l.events[l.head].place <= was.place &&
          l.events[l.head].kind <= was.kind) {
        ++l.backward;
      }
    }
  }
  for (LaneLog* l : logs) l->events.clear();
}

}  // namespace onefold::sim
