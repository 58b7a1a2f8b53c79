// Happens-before: which events of other threads come before a thread's events, and how releases and
// acquires pass that knowledge on.
#pragma once

#include <algorithm>
#include <span>

#include "onefold/machine/sim/thread.hpp"

namespace onefold::sim {

// Orders these lanes after every event that at least one of them is ordered after.
inline void share(const Block& b, std::span<Lane*> lanes) {
  Clock clock;
  ClockEntry met;
  for (const Lane* l : lanes) {
    if (!l->clock.empty()) join(clock, l->clock);
    if (l->met.phase == b.phase) met.join(l->met);
  }
  for (Lane* l : lanes) {
    if (!clock.empty()) l->clock = clock;
    if (met.phase != 0) l->met = met;
  }
}

// Returns the events of a thread so far, and those of other threads of its block that come before
// its next event.
inline ClockEntry known(const Lane& l) {
  const Block& b = *l.block;
  ClockEntry k{.phase = b.phase, .thread = l.thread, .epoch = l.epoch + 1};
  const unsigned warp = l.thread / 32;
  if (b.warp_floor[warp] != 0 || b.partial_syncs) {
    ClockEntry::Epochs lanes(warp * 32 + 32);
    for (unsigned j = 0; j < 32; ++j) {
      lanes[warp * 32 + j] = std::max(b.warp_floor[warp], l.warp_known[j]);
    }
    k.join(
        {.phase = b.phase, .others = std::make_shared<const ClockEntry::Epochs>(std::move(lanes))});
  }
  if (l.met.phase == b.phase) k.join(l.met);
  return k;
}
inline void hand_over(Words& words, const Cell* word, const Lane& l, Kind kind,
                      const ClockEntry& fenced, std::shared_ptr<const Clock>& pending) {
  if (words.empty() && fenced.phase == 0) return;
  const auto it = words.find(word);
  if (it != words.end()) {
    if (pending && pending != it->second) {
      auto both = std::make_shared<Clock>(*pending);
      join(*both, *it->second);
      pending = both;
    } else {
      pending = it->second;
    }
  }
  if (fenced.phase == 0 || kind == Kind::load) return;
  Clock next = it == words.end() ? Clock{} : *it->second;
  join(next, l.block->clock);
  join(next, l.clock);
  if (next.size() <= l.block->index) next.resize(l.block->index + 1);
  next[l.block->index].join(fenced);
  words[word] = std::make_shared<const Clock>(std::move(next));
}

}  // namespace onefold::sim
