// Checks each access against the shadow of what it touches.
#pragma once

#include <algorithm>
#include <span>

#include "onefold/machine/sim/thread.hpp"

namespace onefold::sim {

class Races {
 public:
  static constexpr uint32_t by_host = 1;  // the phase of what was there before the first launch
  // The last that a stamp holds. A thread that comes so far without a barrier stays there, and what
  // it hands over then may be missed.
  static constexpr uint32_t last_epoch = (1u << 20) - 2;

  explicit Races(bool scopes) : scopes_(scopes) {}

  // Begins a time of `block` that all earlier times of it are before.
  uint32_t new_phase(unsigned block) {
    phases_.push_back({block, grid_epoch_});
    return static_cast<uint32_t>(phases_.size() - 1);
  }
  void begin_launch() { first_phase_ = static_cast<uint32_t>(phases_.size()), words_.clear(); }
  void grid_barrier() { ++grid_epoch_; }

  // Calls judge.race(s, element, site, stamp, site of the earlier one) for an earlier access that
  // races with this one, and judge.unwritten(s, element, site) for a load of what nobody wrote.
  template <class Judge>
  [[gnu::always_inline]] void check(Space& s, std::size_t i, Kind kind, uint32_t site, Lane& l,
                                    Judge& judge, bool strong = false) {
    const Block& b = *l.block;
    Cell& c = s.cells[i];
    Stamp me = stamp(b.phase, l.thread, l.epoch);
    strong = strong || kind == Kind::atomic;
    me.atomic = strong;
    // What is before this phase needs no second look, but for a bulk copy.
    const uint32_t settled = s.shared ? b.phase : first_phase_;
    const auto apart = [&](Stamp o) {
      return (o.phase >= settled || o.copy) && unordered(s, o, me, l);
    };
    if (kind != Kind::store && c.write.phase < (s.shared ? b.first_phase : by_host)) {
      judge.unwritten(s, i, site);
    }
    if (!(strong && c.write.atomic) && apart(c.write)) {
      judge.race(s, i, site, c.write, c.write_site);
    } else if (kind != Kind::load && !(strong && c.read.atomic) && apart(c.read)) {
      judge.race(s, i, site, c.read, c.read_site);
    } else if (kind != Kind::load && s.readers != nullptr) {
      const Readers& r = s.readers[i];
      for (const Stamp o : {r.same_warp, r.other_warp, r.other_block}) {
        if ((strong && o.atomic) || !apart(o)) continue;
        judge.race(s, i, site, o, c.read_site);
        break;
      }
    }
    if (s.atomics != nullptr && !strong) {
      const Atomics& a = s.atomics[i];
      for (const Stamp o :
           {a.first, a.others.same_warp, a.others.other_warp, a.others.other_block}) {
        if (o.phase < settled || !unordered(s, o, me, l)) continue;
        judge.race(s, i, site, o, a.site);
        break;
      }
    }
    if (kind == Kind::load) {
      if (apart(c.read)) {
        note_reader(s, i, me);
      } else {
        c.read = me;
      }
      c.read_site = site;
    } else if (strong) {
      note_atomic(s, i, me, l, site);
      if (c.write.phase < (s.shared ? b.first_phase : by_host)) {
        c.write = me;  // so that it is not unwritten
        c.write_site = site;
      }
    } else {
      c.write = me;
      c.write_site = site;
    }
  }

  // An atomic: hands over what its thread has released, takes what is there. A load only takes.
  void atomic(const Space& s, const Cell* word, Lane& l, Kind kind = Kind::atomic) {
    if (!s.shared) hand_over(words_, word, l, kind, l.fenced, l.pending);
    if (!s.shared && !scopes_) return;
    hand_over(l.block->words, word, l, kind, l.fenced_here, l.pending_here);
  }
  // What the thread did until now, and what it knows of its warp, is released; what it does from
  // now on is of the next epoch. A fence of the block's scope tells other blocks nothing.
  void fence(Lane& l, bool of_block = false) {
    l.fenced_here = known(l);
    if (!of_block) {
      l.fenced = l.fenced_here;
      if (l.pending) join(l.clock, *l.pending);
      l.pending.reset();
    }
    if (l.epoch < last_epoch) ++l.epoch;
    if (l.pending_here) join(l.clock, *l.pending_here);
    l.pending_here.reset();
  }
  // A thread comes to a barrier of a part of its block: what it did and knows is left there.
  void arrive(Lane& l, NamedBarrier& n) {
    n.known.join(known(l));
    if (!l.clock.empty()) join(n.clock, l.clock);
    if (l.epoch < last_epoch) ++l.epoch;
  }
  // Those who waited know it all.
  static void leave(Lane& l, const NamedBarrier& n) {
    l.met.join(n.known);
    if (!n.clock.empty()) join(l.clock, n.clock);
  }
  // The block passes a barrier: what one thread knows, all know.
  void block_barrier(Block& b) {
    for (auto& l : b.lanes) {
      if (!l->clock.empty()) join(b.clock, l->clock), l->clock.clear();
      l->epoch = 0;
    }
    if (b.partial_syncs) {
      for (auto& l : b.lanes) l->warp_known.fill(0);
      b.partial_syncs = false;
    }
    std::fill(b.warp_floor.begin(), b.warp_floor.end(), 0);
    b.phase = new_phase(b.index);
  }

  // The lanes of one warp that meet at a sync_warp; `whole` if that is all of them.
  static void warp_barrier(Block& b, unsigned warp, std::span<Lane*> lanes, bool whole) {
    uint32_t next = 0;
    for (Lane* l : lanes) next = std::max(next, std::min(l->epoch + 1, last_epoch));
    if (whole) {
      b.warp_floor[warp] = next;
    } else {
      b.partial_syncs = true;
      std::array<uint32_t, 32> known{};
      for (Lane* l : lanes) {
        for (unsigned j = 0; j < 32; ++j) known[j] = std::max(known[j], l->warp_known[j]);
      }
      for (Lane* l : lanes) known[l->lane()] = next;
      for (Lane* l : lanes) l->warp_known = known;
    }
    for (Lane* l : lanes) l->epoch = next;
    share(b, lanes);
  }

  unsigned block_of(Stamp s) const { return phases_[s.phase].block; }

 private:
  struct Phase {
    unsigned block = 0;
    uint32_t grid_epoch = 0;
  };

  // What one of these lanes was told by others, all are told.
  static void share(const Block& b, std::span<Lane*> lanes) {
    Clock clock;
    Known met;
    for (const Lane* l : lanes) {
      if (!l->clock.empty()) join(clock, l->clock);
      if (l->met.phase == b.phase) met.join(l->met);
    }
    for (Lane* l : lanes) {
      if (!clock.empty()) l->clock = clock;
      if (met.phase != 0) l->met = met;
    }
  }

  // What a thread has done until now, and what it knows of its block's others.
  static Known known(const Lane& l) {
    const Block& b = *l.block;
    Known k{.phase = b.phase, .thread = l.thread, .epoch = l.epoch + 1};
    const unsigned warp = l.thread / 32;
    if (b.warp_floor[warp] != 0 || b.partial_syncs) {
      Known::Epochs lanes(warp * 32 + 32);
      for (unsigned j = 0; j < 32; ++j) {
        lanes[warp * 32 + j] = std::max(b.warp_floor[warp], l.warp_known[j]);
      }
      k.join({.phase = b.phase, .others = std::make_shared<const Known::Epochs>(std::move(lanes))});
    }
    if (l.met.phase == b.phase) k.join(l.met);
    return k;
  }
  static void hand_over(Words& words, const Cell* word, const Lane& l, Kind kind,
                        const Known& fenced, std::shared_ptr<const Clock>& pending) {
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

  // Puts `me` among the readers of an element whose first reader is unordered with it.
  [[gnu::noinline]] void note_reader(Space& s, std::size_t i, Stamp me) {
    if (s.readers == nullptr) {
      readers_.emplace_back(s.bytes / s.grain);
      s.readers = readers_.back().data();
    }
    note(s.cells[i].read, s.readers[i], me);
  }
  [[gnu::noinline]] void note_atomic(Space& s, std::size_t i, Stamp me, const Lane& l,
                                     uint32_t site) {
    if (s.atomics == nullptr) {
      atomics_.emplace_back(s.bytes / s.grain);
      s.atomics = atomics_.back().data();
    }
    Atomics& a = s.atomics[i];
    a.site = site;
    if (a.first.phase >= (s.shared ? l.block->phase : first_phase_) &&
        unordered(s, a.first, me, l)) {
      note(a.first, a.others, me);
    } else {
      a.first = me;
    }
  }
  void note(Stamp& first, Readers& r, Stamp me) const {
    if (block_of(first) != block_of(me)) {
      r = {.same_warp = {}, .other_warp = {}, .other_block = first};
      first = me;
    } else if (first.warp() == me.warp()) {
      r.same_warp = me;
    } else {
      r.other_warp = first;
      r.same_warp = {};
      first = me;
    }
  }

  [[gnu::noinline]] bool unordered(const Space& s, Stamp o, Stamp me, const Lane& l) const {
    const Block& b = *l.block;
    if (o.phase < first_phase_) return false;
    if (o.copy) {
      if (o.phase < b.first_phase) return false;
      const Copy& c = b.copies[o.warp_epoch];
      const bool seen = (l.copies_seen >> (o.warp_epoch % 64) & 1) != 0;
      return c.landed_phase == 0 || (c.landed_phase == b.phase && !seen);
    }
    if (o.phase == me.phase) {
      if (o.thread == me.thread) return false;
      if (o.warp() == me.warp() &&
          o.warp_epoch < std::max(b.warp_floor[me.warp()], l.warp_known[o.thread % 32])) {
        return false;
      }
      if (l.met.phase == me.phase && l.met.covers(o)) return false;
      return l.clock.size() <= b.index || !l.clock[b.index].covers(o, o.atomic);
    }
    const Phase& p = phases_[o.phase];
    if (s.shared || p.block == b.index || p.grid_epoch < grid_epoch_) return false;
    const auto knows = [&](const Clock& c) {
      return p.block < c.size() && c[p.block].covers(o, o.atomic);
    };
    return !knows(b.clock) && !knows(l.clock);
  }

  std::vector<Zeros<Readers>> readers_;  // of each array that needs them
  std::vector<Zeros<Atomics>> atomics_;
  std::vector<Phase> phases_{2};
  uint32_t first_phase_ = 2, grid_epoch_ = 0;
  Words words_;  // of global memory
  bool scopes_;  // there are fences that only their block sees
};

}  // namespace onefold::sim
