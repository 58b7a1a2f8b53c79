// Who runs when: lanes, warps, barriers, blocks. Included by engine.hpp.
namespace onefold::sim {

inline void Engine::stop(Stop s, Site at) {
  lane_->stop = s;
  lane_->site = at;
  lane_->order = text_order(at);
  lane_->fibre->leave();
}

inline void Engine::resume(Lane& l) {
  lane_ = &l;
  l.stop = Stop::ready;
  l.fibre->resume();
}

inline void Engine::kill(Lane& l) {
  l.killed = true;
  for (;;) stop(Stop::done, {});
}

// The k-th of n in this schedule's order; `salt` tells one warp or block from another.
inline unsigned Engine::order(unsigned k, unsigned n, unsigned salt) const {
  if (options_.schedule < 2) return k;
  uint64_t h = (random_ ^ salt) * 0xbf58476d1ce4e5b9u;
  h ^= h >> 29;
  const unsigned at = (k + static_cast<unsigned>(h % n)) % n;  // a rotation, forwards or backwards
  return (h >> 40 & 1) != 0 ? n - 1 - at : at;
}

inline void Engine::prepare(Block& b, unsigned index) {
  b.index = index;
  b.phase = b.first_phase = races_.new_phase(index);
  b.clock.clear();
  b.copies.clear();
  b.barriers.fill({});
  b.completed.fill(0);
  b.warp_floor.assign((launch_.block + 31) / 32, 0);
  std::fill(b.memory.begin(), b.memory.end(), std::byte{garbage});
  while (b.lanes.size() < launch_.block) {
    auto l = std::make_unique<Lane>();
    l->block = &b;
    l->thread = static_cast<unsigned>(b.lanes.size());
    l->fibre = std::make_unique<Fibre>(
        [](void* engine) {
          auto* e = static_cast<Engine*>(engine);
          e->kernel_(e->argument_);
          e->stop(Stop::done, {});
        },
        this);
    b.lanes.push_back(std::move(l));
  }
  b.lanes.resize(launch_.block);
  for (auto& l : b.lanes) {
    if (l->killed) l->fibre->rewind();
    l->killed = false;
    l->stop = Stop::ready;
    l->strikes = 0;
    l->epoch = 0;
    l->warp_known.fill(0);
    l->fenced = {};
    l->pending.reset();
    l->clock.clear();
    l->copies_seen = 0;
  }
  counting_.counters.warps += b.warp_floor.size();
  if (options_.observer != nullptr) options_.observer->block(index);
}

inline void Engine::launch(const Launch& launch, void (*kernel)(void*), void* argument) {
  launch_ = launch;
  kernel_ = kernel;
  argument_ = argument;
  Host* const before = host;
  host = this;
  races_.begin_launch();
  if (options_.observer != nullptr) options_.observer->launch(launch.grid, launch.block);
  blocks_.clear();
  const unsigned at_once = launch.cooperative ? launch.grid : std::min(launch.grid, 1u);
  for (unsigned k = 0; k < at_once; ++k) blocks_.push_back(std::make_unique<Block>());
  if (launch.cooperative) {
    for (unsigned k = 0; k < launch.grid; ++k) prepare(*blocks_[k], k);
    for (bool waiting = true; waiting;) {
      waiting = false;
      for (unsigned k = 0; k < launch.grid; ++k) {
        waiting = run(*blocks_[order(k, launch.grid, 77)]) || waiting;
      }
      races_.grid_barrier();
      if (waiting && options_.observer != nullptr) options_.observer->grid_barrier();
      for (auto& b : blocks_) {
        races_.block_barrier(*b);
        for (auto& l : b->lanes) {
          if (l->stop == Stop::grid_barrier) l->stop = Stop::ready;
        }
      }
    }
  } else {
    for (unsigned k = 0; k < launch.grid; ++k) {
      Block& b = *blocks_[0];
      prepare(b, order(k, launch.grid, 77));
      while (run(b)) {  // blocks run one after another: the others are not there
        for (auto& l : b.lanes) {
          if (l->stop != Stop::grid_barrier) continue;
          lane_ = l.get();
          flaw(FlawKind::barrier_not_reached, l->site, nullptr, 0, {l->thread});
          l->stop = Stop::ready;
        }
      }
    }
  }
  lane_ = nullptr;
  host = before;
  for (const Pointer<unsigned> t : tickets_) {
    unsigned v = 0;
    read(t, &v, 1);
    if (v != 0) flaw(FlawKind::dirty_ticket, {}, t.space, 0, {});
  }
}

inline bool Engine::run(Block& b) {
  const auto warps = static_cast<unsigned>(b.warp_floor.size());
  for (;;) {
    bool progress = false;
    for (unsigned w = 0; w < warps; ++w) {
      progress = run_warp(b, order(w, warps, b.phase)) || progress;
    }
    if (progress) continue;
    if (!release_barrier(b)) break;
  }
  for (const auto& l : b.lanes) {
    if (l->stop == Stop::grid_barrier) return true;
  }
  return false;
}

inline bool Engine::run_warp(Block& b, unsigned warp) {
  std::array<Lane*, 32> memory;
  const unsigned first = warp * 32;
  const auto n = std::min(32u, static_cast<unsigned>(b.lanes.size()) - first);
  for (unsigned j = 0; j < n; ++j) memory[j] = b.lanes[first + j].get();
  const std::span<Lane*> lanes(memory.data(), n);
  bool progress = false;
  for (;;) {
    bool ran = false;
    for (unsigned j = 0; j < n; ++j) {
      Lane& l = *lanes[order(j, n, b.phase * 64 + warp)];
      const bool landed = l.stop == Stop::bulk && (!b.barriers[l.barrier].pending.empty() ||
                                                   (b.completed[l.barrier] & 1) != l.parity);
      if (l.stop == Stop::ready || landed) resume(l), ran = true;
    }
    if (!ran) return progress;
    progress = true;
    if (options_.schedule == 0) step_together(lanes);
    flush(lanes);
    if (options_.observer != nullptr) options_.observer->pause(b.index, warp);
    bool more = false;
    for (Lane* l : lanes) {
      if (l->stop == Stop::log_full) l->stop = Stop::ready, more = true;
    }
    if (!more) meet(b, warp, lanes);
  }
}

// Lock-step: one access at a time, the first in the text first.
inline void Engine::step_together(std::span<Lane*> lanes) {
  for (;;) {
    uint32_t first = ~0u;
    for (const Lane* l : lanes) {
      if (l->stop == Stop::access) first = std::min(first, l->order);
    }
    if (first == ~0u) return;
    for (Lane* l : lanes) {
      if (l->stop == Stop::access && l->order == first) resume(*l);
    }
  }
}

inline void Engine::flush(std::span<Lane*> lanes) {
  if (!options_.count) return;
  std::array<LaneLog*, 32> logs;
  for (std::size_t j = 0; j < lanes.size(); ++j) logs[j] = &lanes[j]->log;
  align(std::span(logs.data(), lanes.size()),
        [&](const Group& g) { counting_.instruction(g, spaces_); });
}

// Performs the warp-wide steps that all named lanes have come to, or, if nobody in the warp can do
// anything else, one that not all have come to. True if one was performed.
inline bool Engine::meet(Block& b, unsigned warp, std::span<Lane*> lanes) {
  std::array<Lane*, 32> memory;
  bool done = false;
  uint32_t alive = 0, blocked = 0, seen = 0;
  for (const Lane* l : lanes) {
    if (l->stop != Stop::done) alive |= 1u << l->lane();
    if (l->stop == Stop::bulk || l->stop == Stop::ready) blocked |= 1u << l->lane();
  }
  const auto group_of = [&](const Lane& leader) {
    std::size_t k = 0;
    for (Lane* l : lanes) {
      const bool same = l->stop == Stop::collective && l->site == leader.site &&
                        l->exchange.kind == leader.exchange.kind &&
                        l->exchange.mask == leader.exchange.mask;
      if (same) memory[k++] = l;
    }
    return std::span<Lane*>(memory.data(), k);
  };
  Lane* stuck = nullptr;
  for (Lane* l : lanes) {
    if (l->stop != Stop::collective || (seen >> l->lane() & 1) != 0) continue;
    const std::span<Lane*> group = group_of(*l);
    uint32_t here = 0;
    for (const Lane* g : group) here |= 1u << g->lane();
    seen |= here;
    if ((l->exchange.mask & alive & ~here) == 0) {
      perform(b, warp, group, lanes);
      done = true;
    } else if (stuck == nullptr || l->order < stuck->order) {
      stuck = l;
    }
  }
  if (done || stuck == nullptr || blocked != 0) return done;
  const std::span<Lane*> group = group_of(*stuck);
  uint32_t here = 0;
  for (const Lane* g : group) here |= 1u << g->lane();
  std::vector<unsigned> missing;
  for (const Lane* l : lanes) {
    if ((stuck->exchange.mask & alive & ~here) >> l->lane() & 1) missing.push_back(l->thread);
  }
  lane_ = stuck;
  flaw(stuck->exchange.kind == Collective::sync ? FlawKind::barrier_not_reached
                                                : FlawKind::absent_lane,
       stuck->site, nullptr, 0, missing);
  perform(b, warp, group, lanes);
  return true;
}

inline void Engine::perform(Block& b, unsigned warp, std::span<Lane*> group,
                            std::span<Lane*> lanes) {
  const Lane& leader = *group[0];
  const Exchange& e = leader.exchange;
  if (options_.count) counting_.step(sites_.number(leader.site), unsigned(group.size()));
  if (options_.observer != nullptr) {
    std::array<const Exchange*, 32> taking_part{};
    for (const Lane* l : group) taking_part[l->lane()] = &l->exchange;
    options_.observer->meet(b.index, warp, taking_part, leader.site);
  }
  std::array<std::array<std::byte, 32>, 32> value;
  uint32_t here = 0, votes = 0;
  for (const Lane* l : group) {
    here |= 1u << l->lane();
    if (e.value != nullptr) std::memcpy(value[l->lane()].data(), l->exchange.value, e.bytes);
    if (l->exchange.argument != 0) votes |= 1u << l->lane();
  }
  if (e.kind == Collective::sync) {
    Races::warp_barrier(b, warp, group, group.size() == lanes.size());
  }
  std::array<std::byte, 32> all{};
  if (e.kind == Collective::fold) {
    all = value[leader.lane()];
    for (const Lane* l : group.subspan(1)) e.fold(all.data(), value[l->lane()].data());
  }
  for (Lane* l : group) {
    const unsigned me = l->lane(), argument = l->exchange.argument;
    unsigned from = me;
    switch (e.kind) {
      case Collective::sync:
        break;
      case Collective::shuffle_down:
        from = me + argument;
        break;
      case Collective::shuffle_up:
        from = me - argument;
        break;
      case Collective::shuffle_xor:
        from = me ^ argument;
        break;
      case Collective::shuffle:
        from = argument % 32;
        break;
      case Collective::vote:
        std::memcpy(l->exchange.value, &votes, sizeof votes);
        break;
      case Collective::fold:
        std::memcpy(l->exchange.value, all.data(), e.bytes);
        break;
    }
    if (from != me && from < 32) {  // past the warp's ends a lane keeps its own
      if ((here >> from & 1) != 0) {
        std::memcpy(l->exchange.value, value[from].data(), e.bytes);
      } else {
        lane_ = l;
        flaw(FlawKind::absent_lane, l->site, nullptr, 0, {l->thread, warp * 32 + from});
        std::memset(l->exchange.value, garbage, e.bytes);
      }
    }
    l->stop = Stop::ready;
  }
}

// Lets the block pass its barrier when nobody can do anything else. False if nobody waits.
inline bool Engine::release_barrier(Block& b) {
  Lane* first = nullptr;
  std::vector<unsigned> missing;
  bool same_site = true;
  for (auto& l : b.lanes) {
    if (l->stop == Stop::block_barrier) {
      if (first == nullptr) first = l.get();
      same_site = same_site && l->site == first->site;
    } else {
      missing.push_back(l->thread);
    }
  }
  if (first == nullptr) {
    for (auto& l : b.lanes) {  // a copy that nobody starts
      if (l->stop != Stop::bulk) continue;
      lane_ = l.get();
      flaw(FlawKind::barrier_not_reached, l->site, nullptr, 0, {l->thread});
      l->killed = true;
      l->stop = Stop::done;
    }
    return false;
  }
  if (!missing.empty() || !same_site) {
    lane_ = first;
    flaw(FlawKind::barrier_not_reached, first->site, nullptr, 0, missing);
  }
  ++counting_.counters.barrier_rounds;
  if (options_.observer != nullptr) {
    std::vector<unsigned> waiting;
    for (const auto& l : b.lanes) {
      if (l->stop == Stop::block_barrier) waiting.push_back(l->thread);
    }
    options_.observer->barrier(b.index, waiting, first->site);
  }
  for (std::size_t at = 0; at < b.lanes.size(); at += 32) {
    unsigned waiting = 0;
    Site site;
    for (std::size_t j = at; j < std::min(at + 32, b.lanes.size()); ++j) {
      Lane& l = *b.lanes[j];
      if (l.stop != Stop::block_barrier) continue;
      ++waiting;
      site = l.site;
      l.stop = Stop::ready;
    }
    if (waiting == 0) continue;
    ++counting_.counters.barriers;
    if (options_.count) counting_.step(sites_.number(site), waiting);
  }
  races_.block_barrier(b);
  return true;
}

}  // namespace onefold::sim
