// All threads that have read an element, or changed it by atomics, since its last plain store.
#pragma once

#include <array>
#include <bit>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "onefold/machine/sim/shadow.hpp"

namespace onefold::sim {

// Accesses of one warp's lanes in one epoch, from one source location.
struct Access {
  Stamp by;            // phase and epoch; its thread is the first one of the warp
  uint32_t lanes = 0;  // one bit for each lane
  uint32_t site = 0;

  Stamp of(unsigned lane) const {
    Stamp s = by;
    s.thread = (s.thread + lane) & 0x7ffu;
    return s;
  }
};

// Accesses in the order in which they came. It has no constructor: arrays of it may begin as zeros.
struct History {
  Access* list = nullptr;
  uint32_t used = 0, room = 0;
};
// The readers of an element, in addition to the one in its cell.
struct Readers : History {};
// The atomics on an element. They are not stored in its cell, where they would replace the plain
// accesses.
struct Atomics : History {
  Stamp last;
  uint32_t last_site = 0;
  bool narrow = false;  // some have block scope only
};

// The memory for all histories of an engine.
class Histories {
 public:
  // Records an access of thread `me`. Accesses before phase `settled` are dropped.
  template <class BlockOf>
  void add(History& h, Stamp me, uint32_t site, uint32_t settled, const BlockOf& block_of) {
    const unsigned lane = me.thread % 32;
    me.thread = me.thread & ~uint64_t{31} & 0x7ffu;
    if (h.used != 0 && h.list[h.used - 1].by.phase < settled) h.used = 0;
    for (uint32_t k = h.used, near = 32; k != 0 && near != 0; --near) {
      Access& a = h.list[--k];
      if (a.site != site || std::bit_cast<uint64_t>(a.by) != std::bit_cast<uint64_t>(me)) continue;
      a.lanes |= 1u << lane;
      return;
    }
    if (h.used == h.room) make_room(h, block_of);
    h.list[h.used++] = {me, 1u << lane, site};
  }

 private:
  template <class BlockOf>
  void make_room(History& h, const BlockOf& block_of) {
    if (h.room >= 64) h.used = without_covered(h, block_of);
    if (h.used > h.room / 2 || h.room == 0) {
      const uint32_t room = h.room == 0 ? 2 : 2 * h.room;
      Access* const list = take(room);
      std::copy(h.list, h.list + h.used, list);
      if (h.room != 0) free_[static_cast<unsigned>(std::countr_zero(h.room))].push_back(h.list);
      h.list = list;
      h.room = room;
    }
  }
  // Drops accesses that a later one of the same thread, or of its block in a later phase, makes
  // superfluous: what is ordered after the later one is ordered after both. Atomics do not replace
  // plain accesses.
  template <class BlockOf>
  static uint32_t without_covered(History& h, const BlockOf& block_of) {
    struct LaterAccess {
      uint32_t phase = 0;
      std::map<unsigned, uint32_t> lanes{};  // by number of the warp
    };
    // The latest accesses of a block: {block, true} has its plain ones, {block, false} all.
    std::map<std::pair<unsigned, bool>, LaterAccess> seen;
    std::map<std::pair<uint64_t, uint32_t>, uint32_t> places;  // of the accesses that are kept
    uint32_t kept = h.used;
    for (uint32_t k = h.used; k-- != 0;) {  // the latest access first
      Access a = h.list[k];
      const bool weak = a.by.atomic == 0;
      const unsigned block = block_of(a.by);
      LaterAccess& later = seen[{block, weak}];
      if (a.by.phase < later.phase) continue;
      uint32_t& lanes = later.lanes[static_cast<unsigned>(a.by.thread)];
      a.lanes &= ~lanes;
      if (a.lanes == 0) continue;
      const auto [same, fresh] = places.try_emplace({std::bit_cast<uint64_t>(a.by), a.site}, kept);
      if (fresh) {
        h.list[same->second = --kept] = a;
      } else {
        h.list[same->second].lanes |= a.lanes;
      }
      const auto note = [&](LaterAccess& s) {
        if (s.phase != a.by.phase) s = {.phase = static_cast<uint32_t>(a.by.phase)};
        s.lanes[static_cast<unsigned>(a.by.thread)] |= a.lanes;
      };
      note(later);
      if (weak) note(seen[{block, false}]);
    }
    std::copy(h.list + kept, h.list + h.used, h.list);
    return h.used - kept;
  }
  Access* take(uint32_t room) {
    auto& free = free_[static_cast<unsigned>(std::countr_zero(room))];
    if (!free.empty()) {
      Access* const list = free.back();
      free.pop_back();
      return list;
    }
    if (room > left_) {
      const uint32_t chunk = std::max(room, uint32_t{1} << 14);
      chunks_.push_back(std::make_unique<Access[]>(chunk));
      next_ = chunks_.back().get();
      left_ = chunk;
    }
    left_ -= room;
    return std::exchange(next_, next_ + room);
  }

  std::vector<std::unique_ptr<Access[]>> chunks_;
  Access* next_ = nullptr;
  uint32_t left_ = 0;                          // accesses that fit at next_
  std::array<std::vector<Access*>, 32> free_;  // entry k: free lists of 2^k accesses
};

}  // namespace onefold::sim
