// Checks each access against the element's earlier accesses, which its shadow records.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "onefold/machine/sim/history.hpp"
#include "onefold/machine/sim/releases.hpp"

namespace onefold::sim {

// Kinds of accesses. Strong ones do not race with atomics that can see them.
enum class Strength : uint8_t { weak, of_block, strong };

class Races {
 public:
  static constexpr uint32_t by_host = 1;  // the phase of what was written before the first launch
  static constexpr unsigned host_thread = 1024;  // accesses what the host copies while kernels run
  // The largest epoch that a stamp can hold. A thread that gets so far without a barrier keeps this
  // epoch, and races after that may be missed.
  static constexpr uint32_t last_epoch = (1u << 20) - 2;

  explicit Races(bool scopes) : scopes_(scopes) {}

  // Begins a new phase of `block`, which comes after all its earlier phases.
  uint32_t new_phase(unsigned block) {
    phases_.push_back({block, grid_epoch_});
    return static_cast<uint32_t>(phases_.size() - 1);
  }
  void begin_launch() {
    launch_phase_ = next_phase();
    first_phase_ = std::min(apart_from_, launch_phase_);
    words_.clear();
  }
  uint32_t next_phase() const { return static_cast<uint32_t>(phases_.size()); }
  // Accesses of earlier launches are ordered, but for those of phases from `from` on that `apart`
  // names.
  void set_apart(uint32_t from, std::function<bool(uint32_t phase)> apart) {
    apart_from_ = from;
    apart_ = std::move(apart);
  }
  bool of_this_launch(Stamp s) const { return s.phase >= launch_phase_; }
  void grid_barrier() { ++grid_epoch_; }

  // Calls judge.race(s, element, kind, site, and the stamp, site and kind of the earlier access) if
  // an earlier access races with this one. Calls judge.unwritten(s, element, site) for a load that
  // nobody wrote. If several readers race, one for each source location is reported.
  template <class Judge>
  [[gnu::always_inline]] void check(Space& s, std::size_t i, Kind kind, uint32_t site, Lane& l,
                                    Judge& judge, Strength strength = Strength::weak) {
    const Block& b = *l.block;
    Cell& c = s.cells[i];
    const bool strong = strength != Strength::weak;
    const Stamp me = stamp(b.phase, l.thread, l.epoch, strong, strength == Strength::of_block);
    // Accesses before this phase are ordered, except bulk copies.
    const uint32_t settled = s.shared ? b.phase : first_phase_;
    const auto apart = [&](Stamp o) {
      return (o.phase >= settled || o.copy) && unordered(s, o, me, l);
    };
    const auto of_atomics = [&](Stamp o) { return strong && o.atomic && sees(o, me); };
    if (kind != Kind::store && c.write.phase < (s.shared ? b.first_phase : by_host)) {
      judge.unwritten(s, i, site);
    }
    if (!of_atomics(c.write) && apart(c.write)) {
      judge.race(s, i, kind, site, c.write, c.write_site,
                 c.write.atomic ? Kind::atomic : Kind::store);
    } else if (kind != Kind::load) {
      if (!of_atomics(c.read) && apart(c.read)) {
        judge.race(s, i, kind, site, c.read, c.read_site, Kind::load);
      }
      if (s.readers != nullptr && s.readers[i].used != 0) {
        check_all(s, i, s.readers[i], Kind::load, me, kind, site, l, judge);
      }
    }
    if (s.atomics != nullptr && s.atomics[i].used != 0 &&
        (!strong || s.atomics[i].narrow || me.narrow)) {
      check_all(s, i, s.atomics[i], Kind::atomic, me, kind, site, l, judge);
    }
    if (kind == Kind::load) {
      // If one of two readers is ordered after the other, it stands for both.
      if (c.read.phase >= settled && ((strong && !c.read.atomic) || unordered(s, c.read, me, l))) {
        note_reader(s, i, me, site, settled);
      } else {
        c.read = me;
        c.read_site = site;
      }
    } else if (strong) {
      note_atomic(s, i, me, l, site, settled);
      if (c.write.phase < (s.shared ? b.first_phase : by_host)) {
        c.write = me;  // reported once: from now on it counts as written
        c.write_site = site;
      }
    } else {
      c.write = me;
      c.write_site = site;
      if (s.readers != nullptr) s.readers[i].used = 0;  // ordered before this, or reported
    }
  }

  // An atomic passes on what its thread released and acquires what is there; a load only acquires.
  void atomic(const Space& s, const Cell* word, Lane& l, Kind kind = Kind::atomic) {
    if (!s.shared) hand_over(words_, word, l, kind, l.fenced, l.pending);
    if (!s.shared && !scopes_) return;
    hand_over(l.block->words, word, l, kind, l.fenced_here, l.pending_here);
  }
  // A fence releases what the thread did so far, and what it knows of its warp; later events are of
  // the next epoch. A fence with block scope releases nothing to other blocks.
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
  // A thread arrives at a barrier of some of its block's threads, and adds its events, and those
  // that it is ordered after, to what the barrier releases.
  static Stamp arrive(Lane& l, NamedBarrier& n) {
    const Stamp now = stamp(l.block->phase, l.thread, l.epoch);
    n.known.join(known(l));
    if (!l.clock.empty()) join(n.clock, l.clock);
    if (l.epoch < last_epoch) ++l.epoch;
    return now;
  }
  // Returns whether the lane's next event is ordered after event `o` of a thread of its block.
  bool after(Stamp o, const Lane& l) const {
    return !unordered({.shared = true}, o, stamp(l.block->phase, l.thread, l.epoch), l);
  }
  // The threads that waited at the barrier are ordered after all threads that arrived.
  static void leave(Lane& l, const NamedBarrier& n) {
    l.met.join(n.known);
    if (!n.clock.empty()) join(l.clock, n.clock);
  }
  // The block passes a barrier: afterwards all threads know what any of them knew.
  void block_barrier(Block& b) {
    share_fences(b);
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

  // Lanes of one warp pass a sync_warp together; `whole`: these are all of its lanes.
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
  // What threads have released by fences before a block barrier is also released by strong stores
  // and atomics of all threads after it: `__threadfence(); __syncthreads();`, and then one thread
  // draws the ticket. PTX orders fence.sc, which __threadfence() is, in this way.
  static void share_fences(Block& b) {
    const auto has = [&](const auto& l) { return l->fenced.phase == b.phase; };
    if (std::none_of(b.lanes.begin(), b.lanes.end(), has)) return;
    ClockEntry::Epochs epochs(b.lanes.size());
    ClockEntry all{.phase = b.phase};
    for (const auto& l : b.lanes) {
      if (!has(l)) continue;
      if (l->fenced.thread != ~0u) epochs[l->fenced.thread] = l->fenced.epoch;
      if (l->fenced.others != nullptr) all.join({.phase = b.phase, .others = l->fenced.others});
    }
    all.join({.phase = b.phase,
              .others = std::make_shared<const ClockEntry::Epochs>(std::move(epochs))});
    for (auto& l : b.lanes) l->fenced = l->fenced_here = all;
  }
  struct Phase {
    unsigned block = 0;
    uint32_t grid_epoch = 0;
  };

  // Returns whether atomics of two threads see each other; block scope is seen by its block only.
  bool sees(Stamp o, Stamp me) const {
    return !(o.narrow || me.narrow) || block_of(o) == block_of(me);
  }
  template <class Judge>
  [[gnu::noinline]] void check_all(Space& s, std::size_t i, const History& h, Kind earlier,
                                   Stamp me, Kind kind, uint32_t site, const Lane& l,
                                   Judge& judge) {
    if (h.list[h.used - 1].by.phase < (s.shared ? l.block->phase : first_phase_)) return;
    uint32_t told = ~0u;
    for (uint32_t k = 0; k < h.used; ++k) {
      const Access& a = h.list[k];
      if (a.site == told || (me.atomic && a.by.atomic && sees(a.by, me))) continue;
      const uint32_t lanes = unordered_lanes(s, a, me, l);
      if (lanes == 0) continue;
      told = a.site;
      judge.race(s, i, kind, site, a.of(static_cast<unsigned>(std::countr_zero(lanes))), told,
                 earlier);
    }
  }
  // Returns the lanes of `a` after which `me` is not ordered.
  uint32_t unordered_lanes(const Space& s, const Access& a, Stamp me, const Lane& l) const {
    if (a.by.phase < (s.shared ? l.block->phase : first_phase_)) return 0;
    uint32_t lanes = a.lanes;
    if (a.by.phase != me.phase && whole_phase_before(s, a.by, l)) return 0;
    for (uint32_t left = a.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      if (!unordered(s, a.of(lane), me, l)) lanes &= ~(1u << lane);
    }
    return lanes;
  }
  bool whole_phase_before(const Space& s, Stamp o, const Lane& l) const {
    if (!of_this_launch(o)) return !apart_(o.phase);
    const Phase& p = phases_[o.phase];
    const Block& b = *l.block;
    if (s.shared || p.block == b.index || p.grid_epoch < grid_epoch_) return true;
    const auto knows = [&](const Clock& c) {
      return p.block < c.size() && o.phase < c[p.block].phase;
    };
    return knows(b.clock) || knows(l.clock);
  }

  // Adds `me` to the readers of an element, if its first reader does not stand for `me`.
  [[gnu::noinline]] void note_reader(Space& s, std::size_t i, Stamp me, uint32_t site,
                                     uint32_t settled) {
    if (s.readers == nullptr) {
      readers_.emplace_back(s.bytes / s.grain);
      s.readers = readers_.back().data();
    }
    histories_.add(s.readers[i], me, site, settled, [&](Stamp o) { return block_of(o); });
  }
  [[gnu::noinline]] void note_atomic(Space& s, std::size_t i, Stamp me, const Lane& l,
                                     uint32_t site, uint32_t settled) {
    if (s.atomics == nullptr) {
      atomics_.emplace_back(s.bytes / s.grain);
      s.atomics = atomics_.back().data();
    }
    Atomics& a = s.atomics[i];
    // If `me` is ordered after the only other reader, it stands for both.
    if (a.used == 1 && unordered_lanes(s, a.list[0], me, l) == 0) a.used = 0;
    a.narrow = me.narrow || (a.used != 0 && a.narrow);
    a.last = me;
    a.last_site = site;
    histories_.add(a, me, site, settled, [&](Stamp o) { return block_of(o); });
  }

  [[gnu::noinline]] bool unordered(const Space& s, Stamp o, Stamp me, const Lane& l) const {
    const Block& b = *l.block;
    if (o.phase < first_phase_) return false;
    if (!of_this_launch(o)) return !s.shared && apart_(o.phase);
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

  Histories histories_;
  std::vector<Zeros<Readers>> readers_;  // one entry for each array that needs them
  std::vector<Zeros<Atomics>> atomics_;
  std::vector<Phase> phases_{2};
  uint32_t launch_phase_ = 2, grid_epoch_ = 0;
  uint32_t first_phase_ = 2;  // of accesses that may be unordered
  uint32_t apart_from_ = ~0u;
  std::function<bool(uint32_t)> apart_;
  Words words_;  // for words of global memory
  bool scopes_;  // whether fences of a block's scope exist
};

}  // namespace onefold::sim
