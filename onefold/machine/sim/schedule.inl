// Decides the order in which lanes, warps and blocks run, also at barriers. Included by sim.inl.
namespace onefold::sim {

// Returns true if the engine's call must be repeated: an interpreter leaves its thread by
// returning.
bool Engine::stop(Stop s, uint32_t site) {
  Lane& l = *lane_;
  l.stop = s;
  l.site = site;
  l.order = sites_.order(site);
  if (s > Stop::waiting) {
    l.events = 0;
    if (l.watch.used != 0) seen_change(l);
  }
  l.execution->leave();
  return l.stop != Stop::ready;
}

inline void Engine::resume(Lane& l) {
  lane_ = &l;
  l.stop = Stop::ready;
  l.execution->go_on();
  if (l.stop != Stop::ready) return;
  l.stop = Stop::done;
  if (l.watch.waiting) ++changes_;
}

void Engine::kill(Lane& l) {
  l.stop = Stop::done;
  l.execution->leave();  // a fibre continues here when it is resumed
  throw ThreadEnd{};
}

// The k-th of n in this schedule's order; `salt` tells one warp or block from another.
inline unsigned Engine::order(unsigned k, unsigned n, unsigned salt) const {
  if (options_.schedule < 2) return k;
  uint64_t h = (random_ ^ salt) * 0xbf58476d1ce4e5b9u;
  h ^= h >> 29;
  const unsigned at = (k + static_cast<unsigned>(h % n)) % n;  // a rotation, forwards or backwards
  return (h >> 40 & 1) != 0 ? n - 1 - at : at;
}

Engine::BlockOutcome Engine::run(Block& b) {
  const auto waits = [&] {
    return std::any_of(b.lanes.begin(), b.lanes.end(),
                       [](const auto& l) { return l->stop == Stop::waiting; });
  };
  for (;;) {
    run_warps(b);
    if (waits()) {
      const uint64_t before = changes_;
      for (auto& l : b.lanes) {
        if (l->stop == Stop::waiting) l->stop = Stop::ready;
      }
      run_warps(b);
      if (changes_ == before && waits()) return BlockOutcome::waits;
      continue;
    }
    if (!release_barrier(b)) break;
  }
  for (const auto& l : b.lanes) {
    if (l->stop == Stop::grid_barrier) return BlockOutcome::at_grid_barrier;
  }
  return BlockOutcome::finished;
}

// Runs the block's warps until only a barrier, or another block's store, lets a thread continue.
void Engine::run_warps(Block& b) {
  const auto warps = static_cast<unsigned>(b.warp_floor.size());
  uint64_t resting = 0;  // warps whose threads are done or at a barrier
  bool progress = true;
  while (progress) {
    progress = false;
    for (unsigned w = 0; w < warps; ++w) {
      const unsigned warp = order(w, warps, b.phase);
      if ((resting >> warp & 1) != 0) continue;
      const WarpOutcome went = run_warp(b, warp);
      progress = progress || went.progress;
      resting |= uint64_t{went.rests} << warp;
      if (b.woken) resting = 0, b.woken = false;
    }
  }
}

Engine::WarpOutcome Engine::run_warp(Block& b, unsigned warp) {
  std::array<Lane*, 32> memory;
  const unsigned first = warp * 32;
  const auto n = std::min(32u, static_cast<unsigned>(b.lanes.size()) - first);
  for (unsigned j = 0; j < n; ++j) memory[j] = b.lanes[first + j].get();
  const std::span<Lane*> lanes(memory.data(), n);
  const auto landed = [&](const Lane& l) {
    return !b.barriers[l.barrier].pending.empty() || (b.completed[l.barrier] & 1) != l.parity;
  };
  WarpOutcome went;
  for (;;) {
    bool ran = false;
    unsigned at = 0;  // a bit for each kind of stop that lanes are at
    for (unsigned j = 0; j < n; ++j) {
      Lane& l = *lanes[order(j, n, b.phase * 64 + warp)];
      if (l.stop == Stop::ready || (l.stop == Stop::bulk && landed(l))) resume(l), ran = true;
      at |= 1u << static_cast<unsigned>(l.stop);
    }
    const auto any = [&](Stop s) { return (at >> static_cast<unsigned>(s) & 1) != 0; };
    went.open = any(Stop::choice) || any(Stop::waiting);
    if (!ran) return went;
    went.progress = true;
    if (options_.schedule == 0) at = step_together(lanes);
    flush();
    while (b.full != 0) {
      release_named(b, b.named[static_cast<unsigned>(std::countr_zero(unsigned{b.full}))]);
    }
    if (options_.observer != nullptr) options_.observer->pause(b.index, warp);
    if (any(Stop::log_full)) {
      for (Lane* l : lanes) {
        if (l->stop == Stop::log_full) l->stop = Stop::ready;
      }
    } else if (any(Stop::collective)) {
      meet(b, warp, lanes);
    } else if (!any(Stop::bulk)) {
      went.rests = !any(Stop::waiting);
      return went;
    }
  }
}

// Lock-step: makes one access at a time, the first in source order. Returns a bit for each kind of
// stop that lanes are at.
unsigned Engine::step_together(std::span<Lane*> lanes) {
  uint32_t now = ~0u, next = ~0u;
  unsigned at = 0;
  const auto look = [&](const Lane& l) {
    at |= 1u << static_cast<unsigned>(l.stop);
    if (l.stop == Stop::access) next = std::min(next, l.order);
  };
  for (const Lane* l : lanes) look(*l);
  while (next != ~0u) {
    now = std::exchange(next, ~0u);
    at = 0;
    for (Lane* l : lanes) {
      if (l->stop == Stop::access && l->order == now) resume(*l);
      look(*l);
    }
  }
  return at;
}

inline void Engine::flush() {
  if (!options_.count) return;
  log_.flush([&](const Step& s) { counting_.instruction(s, spaces_); });
}

// Resumes the threads that wait at a barrier of a part of the block.
void Engine::release_named(Block& b, NamedBarrier& n) {
  std::map<std::pair<unsigned, uint32_t>, unsigned> lanes;  // by warp and place
  std::vector<unsigned> waiting;
  for (const NamedBarrier::Arrival& a : n.arrivals) {
    ++lanes[{a.lane->thread / 32, a.site}];
    if (!a.waits) continue;
    waiting.push_back(a.lane->thread);
    Races::leave(*a.lane, n);
    if (a.lane->stop == Stop::named_barrier) a.lane->stop = Stop::ready;
  }
  for (const auto& [where, count] : lanes) {
    ++counting_.counters.barriers;
    if (options_.count) counting_.step(where.second, count);
  }
  ++counting_.counters.barrier_rounds;
  if (options_.observer != nullptr) {
    options_.observer->barrier(b.index, waiting, sites_[n.arrivals.back().site]);
  }
  std::vector<Stamp> round;
  const bool apart = std::any_of(n.arrivals.begin(), n.arrivals.end(), [&](const auto& a) {
    return a.lane->thread / 32 != n.arrivals[0].lane->thread / 32;
  });
  for (const NamedBarrier::Arrival& a : n.arrivals) {
    if (apart) round.push_back(a.when);
  }
  b.full &= static_cast<uint16_t>(~(1u << (&n - b.named.data())));
  n = {};
  n.before = std::move(round);
  b.woken = true;
}

// Ends threads that wait for a copy that nobody starts, or at a barrier with too few threads.
// Returns true if there were any.
bool Engine::end_stuck(Block& b) {
  bool any = false;
  for (auto& l : b.lanes) {
    if (l->stop != Stop::bulk && l->stop != Stop::named_barrier) continue;
    std::vector<unsigned> missing{l->thread};
    for (const NamedBarrier& n : b.named) {
      const auto comes = [&](const Lane& o) {
        return std::any_of(n.arrivals.begin(), n.arrivals.end(),
                           [&](const NamedBarrier::Arrival& a) { return a.lane == &o; });
      };
      if (l->stop != Stop::named_barrier || !comes(*l)) continue;
      missing.clear();
      for (const auto& o : b.lanes) {
        if (!comes(*o)) missing.push_back(o->thread);
      }
    }
    lane_ = l.get();
    flaw({.kind = FlawKind::barrier_not_reached, .at = sites_[l->site], .threads = missing});
    l->stop = Stop::done;
    any = true;
  }
  for (NamedBarrier& n : b.named) n = {};
  b.full = 0;
  return any;
}

// Lets the block pass its barrier once no thread can do anything else. Returns false if no thread
// waits there.
bool Engine::release_barrier(Block& b) {
  Lane* first = nullptr;
  bool all = true;
  for (auto& l : b.lanes) {
    if (l->stop == Stop::block_barrier && first == nullptr) first = l.get();
    all = all && l->stop == Stop::block_barrier && l->site == first->site;
  }
  if (first == nullptr) return end_stuck(b);
  if (!all) {
    Flaw f{.kind = FlawKind::barrier_not_reached, .at = sites_[first->site]};
    for (const auto& l : b.lanes) {
      if (l->stop == Stop::block_barrier) continue;
      const bool ended = f.threads.empty() && l->stop == Stop::done && l->last != ~0u;
      if (ended) f.ended = sites_[l->last];
      f.threads.push_back(l->thread);
    }
    lane_ = first;
    flaw(std::move(f));
  }
  ++counting_.counters.barrier_rounds;
  if (options_.observer != nullptr) {
    std::vector<unsigned> waiting;
    for (const auto& l : b.lanes) {
      if (l->stop == Stop::block_barrier) waiting.push_back(l->thread);
    }
    options_.observer->barrier(b.index, waiting, sites_[first->site]);
  }
  for (std::size_t at = 0; at < b.lanes.size(); at += 32) {
    unsigned waiting = 0;
    uint32_t site = 0;
    for (std::size_t j = at; j < std::min(at + 32, b.lanes.size()); ++j) {
      Lane& l = *b.lanes[j];
      if (l.stop != Stop::block_barrier) continue;
      ++waiting;
      site = l.site;
      l.stop = Stop::ready;
      l.way = l.unsure = 0;
    }
    if (waiting == 0) continue;
    ++counting_.counters.barriers;
    if (options_.count) counting_.step(site, waiting);
  }
  races_.block_barrier(b);
  return true;
}

}  // namespace onefold::sim
