// Reports illegal accesses. Included by sim.inl.
namespace onefold::sim {

inline bool within_warp(const Flaw& f) {
  return f.kind == FlawKind::race && f.block == f.other_block && !f.apart &&
         f.threads[0] / 32 == f.threads[1] / 32;
}

void Engine::flaw(Flaw f, Space* s) {
  if (given_up_) return;
  if (limit_ == options_.budget && lacks_threads(f.kind)) shorten();
  if (s != nullptr) f.space = s->name;
  if (lane_ != nullptr) f.block = lane_->block->index;
  if (options_.observer != nullptr) options_.observer->flaw(f, s);
  const auto [it, fresh] = flaw_numbers_.try_emplace({f.kind, f.at, f.other}, flaws_.size());
  const bool further_on = f.further_on;
  if (fresh) flaws_.push_back(f);
  Flaw& told = flaws_[it->second];
  // A race of two warps needs more than one of two lanes.
  if (within_warp(told) && !within_warp(f) && f.block == f.other_block && !f.apart) {
    f.times = told.times;
    told = std::move(f);
  }
  told.further_on = told.further_on && further_on;
  ++told.times;
}

[[gnu::cold]] void Engine::race(Space& s, std::size_t element, Kind kind, uint32_t site,
                                Stamp earlier, uint32_t earlier_site, Kind earlier_kind) {
  flaw({.kind = FlawKind::race,
        .at = sites_[site],
        .other = sites_[earlier_site],
        .element = element,
        .offset = static_cast<int64_t>(element * s.grain),
        .did = kind,
        .other_did = earlier_kind,
        .threads = {lane_->thread, static_cast<unsigned>(earlier.thread)},
        .other_block = races_.block_of(earlier),
        .apart = !races_.of_this_launch(earlier)},
       &s);
}

[[gnu::cold]] void Engine::unwritten(Space& s, std::size_t element, uint32_t site) {
  if (unwritten_is_expected_) return;
  flaw({.kind = FlawKind::uninitialised,
        .at = sites_[site],
        .element = element,
        .offset = static_cast<int64_t>(element * s.grain),
        .threads = {lane_->thread}},
       &s);
}

// Reports an access that is out of bounds or not at a multiple of its size, and so is not made.
[[gnu::cold]] bool Engine::refuse(Space& s, uint64_t offset, unsigned bytes, Kind kind,
                                  uint32_t site) {
  Lane& l = *lane_;
  const bool outside = offset > s.bytes || bytes > s.bytes - offset;
  flaw({.kind = outside ? FlawKind::out_of_bounds : FlawKind::misaligned,
        .at = sites_[site],
        .element = offset / s.grain,
        .offset = static_cast<int64_t>(offset),
        .bytes = bytes,
        .did = kind,
        .threads = {l.thread}},
       &s);
  if (++l.strikes >= detail::strikes_allowed) kill(l);
  return false;
}

}  // namespace onefold::sim
