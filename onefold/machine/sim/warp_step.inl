// Steps that the lanes of a warp do together: checks masks and participants, and gives each lane
// its result. Included by sim.inl.
namespace onefold::sim {

// Performs the warp-wide steps at which all lanes of the mask have arrived. If no lane of the warp
// can do anything else, performs an incomplete one. Returns true if one was performed.
bool Engine::meet(Block& b, unsigned warp, std::span<Lane*> lanes) {
  std::array<Lane*, 32> memory;
  bool done = false;
  uint32_t alive = 0, blocked = 0, seen = 0;
  for (const Lane* l : lanes) {
    if (l->stop != Stop::done) alive |= 1u << l->lane();
    if (l->stop == Stop::bulk || l->stop == Stop::ready || l->stop == Stop::waiting ||
        l->stop == Stop::choice || l->stop == Stop::named_barrier) {
      blocked |= 1u << l->lane();
    }
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
  // A query for the active lanes waits for no lane. Of other incomplete steps, the first in the
  // source is reported.
  const auto rank = [](const Lane& l) {
    return std::pair(l.exchange.kind != Collective::active, l.order);
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
    } else if (stuck == nullptr || rank(*l) < rank(*stuck)) {
      stuck = l;
    }
  }
  if (done || stuck == nullptr || blocked != 0) return done;
  const std::span<Lane*> group = group_of(*stuck);
  uint32_t here = 0;
  for (const Lane* g : group) here |= 1u << g->lane();
  const uint32_t missing = stuck->exchange.mask & alive & ~here;
  if (stuck->exchange.kind != Collective::active) report_stuck(*stuck, missing, lanes);
  perform(b, warp, group, lanes);
  return true;
}

// Reports a warp-wide step whose mask names lanes that do not come: they are elsewhere, or have
// come with another mask.
void Engine::report_stuck(Lane& stuck, uint32_t missing, std::span<Lane*> lanes) {
  const Collective kind = stuck.exchange.kind;
  Flaw f{.kind = kind == Collective::sync ? FlawKind::barrier_not_reached : FlawKind::absent_lane,
         .at = sites_[stuck.site],
         .mask = stuck.exchange.mask};
  lane_ = &stuck;
  for (const Lane* l : lanes) {
    if ((missing >> l->lane() & 1) == 0) continue;
    const bool step = l->stop == Stop::collective;
    if (step && l->site == stuck.site && l->exchange.kind == kind) {
      return flaw({.kind = FlawKind::bad_mask,
                   .at = f.at,
                   .threads = {stuck.thread, l->thread},
                   .mask = f.mask,
                   .other_mask = l->exchange.mask});
    }
    const bool stands = step || l->stop == Stop::block_barrier || l->stop == Stop::grid_barrier;
    if (f.threads.empty() && stands) f.other = sites_[l->site];
    f.threads.push_back(l->thread);
  }
  flaw(std::move(f));
}

// Checks that each lane of a warp-wide step is in its own mask, and that all lanes give the same
// mask. A lane that has passed this step with another mask, although others waited for it, is
// reported when those continue without it.
void Engine::check_masks(std::span<Lane*> group, uint32_t here, std::span<Lane*> lanes) {
  const Lane& leader = *group[0];
  const uint32_t mask = leader.exchange.mask;
  if (group.size() == lanes.size() && (here & ~mask) == 0) return;
  for (Lane* l : lanes) {
    const bool waits = l->stop == Stop::collective && l->site == leader.site &&
                       l->exchange.kind == leader.exchange.kind;
    if (waits && l->exchange.mask != mask) l->passed |= l->exchange.mask & here;
  }
  if ((mask & ~here) != 0) check_gone(*group[0], mask & ~here, lanes);
  Flaw f{.kind = FlawKind::bad_mask, .at = sites_[leader.site], .mask = mask};
  lane_ = group[0];
  if ((here & ~mask) != 0) {
    for (const Lane* l : group) {
      if ((mask >> l->lane() & 1) == 0) f.threads.push_back(l->thread);
    }
    f.other_mask = mask;  // reports one mask that leaves these lanes out
    return flaw(std::move(f));
  }
  const uint32_t gone = mask & leader.passed & ~here;
  if (gone == 0) return;
  f.threads = {leader.thread,
               leader.thread / 32 * 32 + static_cast<unsigned>(std::countr_zero(gone))};
  flaw(std::move(f));
}

// Returns whether a lane has ended after an instruction from which control flow cannot reach
// `site`.
bool Engine::went_past(const Lane& l, uint32_t site) const {
  return l.stop == Stop::done && l.last != ~0u && leads_ && !leads_(l.last, site);
}

// A mask may name lanes that have ended, as after `if (i >= n) return`. A lane is a flaw if it
// executed something behind the step or on another branch: then it was alive while others waited.
void Engine::check_gone(Lane& leader, uint32_t gone, std::span<Lane*> lanes) {
  const Collective kind = leader.exchange.kind;
  Flaw f{.kind = kind == Collective::sync ? FlawKind::barrier_not_reached : FlawKind::absent_lane,
         .at = sites_[leader.site],
         .mask = leader.exchange.mask};
  for (const Lane* l : lanes) {
    if ((gone >> l->lane() & 1) == 0 || !went_past(*l, leader.site)) continue;
    if (f.threads.empty()) f.other = sites_[l->last];
    f.threads.push_back(l->thread);
  }
  lane_ = &leader;
  if (!f.threads.empty()) flaw(std::move(f));
}

// The set of active lanes is certain only while all lanes of a warp have taken the same branches.
// In a branch that only some took, and after it, a GPU may run them apart or together.
void Engine::note_ways(std::span<Lane*> group, uint32_t here, std::span<Lane*> lanes) {
  Lane& leader = *group[0];
  const Exchange& e = leader.exchange;
  const bool all =
      group.size() == lanes.size() || std::all_of(lanes.begin(), lanes.end(), [&](const Lane* l) {
        return l->stop == Stop::done || (here >> l->lane() & 1) != 0;
      });
  if (e.kind == Collective::active) {
    const bool one_way = std::all_of(group.begin(), group.end(),
                                     [&](const Lane* l) { return l->way == leader.way; });
    const bool together = all && one_way && std::none_of(lanes.begin(), lanes.end(), [&](Lane* l) {
                            return went_past(*l, leader.site);
                          });
    for (Lane* l : group) l->unsure = together ? 0 : here;
    return;
  }
  if (e.kind == Collective::sync && !e.trusted && leader.unsure != 0 && e.mask == leader.unsure) {
    lane_ = &leader;
    flaw({.kind = FlawKind::split_warp,
          .at = sites_[leader.site],
          .threads = {leader.thread},
          .mask = e.mask});
  }
  const uint32_t way = all ? 0 : leader.way;
  for (Lane* l : group) l->way = way, l->unsure = 0;
}

void Engine::perform(Block& b, unsigned warp, std::span<Lane*> group, std::span<Lane*> lanes) {
  const Lane& leader = *group[0];
  const Exchange& e = leader.exchange;
  if (options_.count) counting_.step(leader.site, unsigned(group.size()));
  if (options_.observer != nullptr) {
    std::array<const Exchange*, 32> taking_part{};
    for (const Lane* l : group) taking_part[l->lane()] = &l->exchange;
    options_.observer->meet(b.index, warp, taking_part, sites_[leader.site]);
  }
  std::array<std::array<std::byte, 32>, 32> value;
  uint32_t here = 0, votes = 0;
  for (const Lane* l : group) {
    here |= 1u << l->lane();
    if (e.value != nullptr) std::memcpy(value[l->lane()].data(), l->exchange.value, e.bytes);
    if (l->exchange.argument != 0) votes |= 1u << l->lane();
  }
  if (e.kind != Collective::active) check_masks(group, here, lanes);
  note_ways(group, here, lanes);
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
      case Collective::gather:
        for (const Lane* o : group) {
          uint64_t v = 0;
          std::memcpy(&v, value[o->lane()].data(), std::min(e.bytes, sizeof v));
          l->exchange.all[o->lane()] = v;
        }
        *l->exchange.present = here;
        break;
      case Collective::active:
      case Collective::vote:
        std::memcpy(l->exchange.value, &votes, sizeof votes);
        break;
      case Collective::fold:
        std::memcpy(l->exchange.value, all.data(), e.bytes);
        break;
    }
    if (from != me && from < 32) {  // beyond the warp's ends a lane gets its own value
      if ((here >> from & 1) != 0) {
        std::memcpy(l->exchange.value, value[from].data(), e.bytes);
      } else {
        lane_ = l;
        flaw({.kind = FlawKind::absent_lane,
              .at = sites_[l->site],
              .threads = {l->thread, warp * 32 + from}});
        std::memset(l->exchange.value, detail::garbage, e.bytes);
      }
    }
    l->stop = Stop::ready;
  }
}

}  // namespace onefold::sim
