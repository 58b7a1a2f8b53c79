// Runs a launch whose blocks interleave: threads stop before strong accesses, and at each stop one
// warp is chosen to go on. Included by sim.inl.
namespace onefold::sim {

namespace detail {

inline bool is_open(const Lane& l) { return l.stop == Stop::choice || l.stop == Stop::waiting; }

// Returns whether a stopped lane would only repeat a look at words that have not changed.
inline bool spins(const Lane& l) {
  if (l.stop == Stop::choice) {
    const Lane::Poll& p = l.poll;
    return p.repeated && value_at(*p.space, p.offset, p.bytes) == p.value;
  }
  for (unsigned k = 0; k < l.watch.used; ++k) {
    const Watch::Word& w = l.watch.words[k];
    if (value_at(*w.space, w.offset, w.bytes) != w.value) return false;
  }
  return true;
}

// Returns whether all waiting threads certainly wait: each has read the same words `patience`
// times. A thread that only reads for long, and counts, is not taken for one.
template <class Blocks>
bool sure(const Blocks& blocks) {
  for (const auto& b : blocks) {
    for (const auto& l : b->lanes) {
      if (l->stop == Stop::waiting && l->watch.same < patience) return false;
    }
  }
  return true;
}

// Returns a bit for each lane of the warp that can do something new.
inline uint32_t able_lanes(const Block& b, unsigned warp) {
  uint32_t lanes = 0;
  const std::size_t end = std::min<std::size_t>(b.lanes.size(), warp * 32 + 32);
  for (std::size_t j = warp * 32; j < end; ++j) {
    if (is_open(*b.lanes[j]) && !spins(*b.lanes[j])) lanes |= 1u << j % 32;
  }
  return lanes;
}

}  // namespace detail

// Stops the running thread before a strong access. Returns true if the call must be repeated.
[[gnu::noinline]] bool Engine::choose(const Space& s, std::size_t offset, unsigned bytes,
                                      uint32_t site) {
  Lane::Poll& p = lane_->poll;
  const uint64_t value = detail::value_at(s, offset, bytes);
  const bool repeated = p.space == &s && p.offset == offset && p.value == value && p.site == site;
  p = {&s, offset, value, bytes, site, repeated};
  return stop(Stop::choice, site);
}

bool Engine::yield(Caller at, bool before_access) {
  if (!choosing_ || !stop(Stop::choice, sites_.number(at))) return false;
  if (before_access) lane_->access_at = again;
  return true;
}

// Runs a block until each of its threads is done, at a choice, waits, or is at a grid barrier.
Engine::BlockOutcome Engine::settle(Block& b) {
  for (;;) {
    run_warps(b);
    b.open = 0;
    for (const auto& l : b.lanes) {
      if (detail::is_open(*l)) b.open |= 1u << l->thread / 32;
    }
    if (b.open != 0) return BlockOutcome::waits;
    if (release_barrier(b)) continue;
    const bool at_grid = std::any_of(b.lanes.begin(), b.lanes.end(),
                                     [](const auto& l) { return l->stop == Stop::grid_barrier; });
    if (!at_grid) return BlockOutcome::finished;
    if (launch_.cooperative) return BlockOutcome::at_grid_barrier;
    pass_grid_barrier(b);
  }
}

// Lets lanes of a warp run to their next stops.
Engine::BlockOutcome Engine::turn(const Actor& a) {
  Block& b = *a.block;
  for (uint32_t left = a.lanes; left != 0; left &= left - 1) {
    b.lanes[a.warp * 32 + static_cast<unsigned>(std::countr_zero(left))]->stop = Stop::ready;
  }
  last_ = a;
  return run_warp(b, a.warp).open && !b.woken ? BlockOutcome::waits : settle(b);
}

// Draws the actor that goes on. Without lanes: all threads spin.
Actor Engine::draw_actor() {
  unsigned all = 0;
  for (const auto& b : blocks_) all += static_cast<unsigned>(std::popcount(b->open));
  const auto of = [&](const Actor& a) {
    uint32_t lanes = detail::able_lanes(*a.block, a.warp);
    if (lanes == 0 || habits_.lanes == Habits::all) return Actor{a.block, a.warp, lanes};
    const bool same = a.block == last_.block && a.warp == last_.warp;
    if (habits_.lanes == Habits::one) {
      if (same && (lanes & last_.lanes) != 0 && draws_(64) < habits_.stay) {
        return Actor{a.block, a.warp, lanes & last_.lanes};
      }
      for (auto k = draws_(static_cast<uint32_t>(std::popcount(lanes))); k != 0; --k) {
        lanes &= lanes - 1;
      }
      return Actor{a.block, a.warp, lanes & (~lanes + 1)};
    }
    const uint32_t some = lanes & (draws_(1u << 16) << 16 | draws_(1u << 16));
    return Actor{a.block, a.warp, some != 0 ? some : lanes};
  };
  if (last_.block != nullptr && (last_.block->open >> last_.warp & 1) != 0 &&
      draws_(64) < habits_.stay) {
    const Actor a = of(last_);
    if (a.lanes != 0) return a;
  }
  if (all == 0) return {};
  std::vector<Actor>& open = actors_;
  open.clear();
  for (const auto& b : blocks_) {
    for (uint32_t left = b->open; left != 0; left &= left - 1) {
      open.push_back({b.get(), static_cast<unsigned>(std::countr_zero(left)), 0});
    }
  }
  const uint32_t first = draws_(all);
  for (uint32_t k = 0; k < all; ++k) {
    const Actor a = of(open[(first + k) % all]);
    if (a.lanes != 0) return a;
  }
  return {};
}

// The next actor of a listed order: the last one if it can go on, else the next one, unless a
// departure says otherwise. In a launch of one warp lanes are the actors.
Actor Engine::listed_actor() {
  const bool by_lane = launch_.block <= 32 && launch_.grid == 1;
  const auto place = [&](const Actor& a) {
    return std::tuple(a.block == nullptr ? 0 : a.block->first_phase, a.warp,
                      by_lane ? std::countr_zero(a.lanes) : 0);
  };
  std::vector<Actor>& able = actors_;
  able.clear();
  for (const auto& b : blocks_) {
    for (uint32_t left = b->open; left != 0; left &= left - 1) {
      const auto warp = static_cast<unsigned>(std::countr_zero(left));
      const uint32_t lanes = detail::able_lanes(*b, warp);
      for (uint32_t l = lanes; l != 0; l &= l - 1) {
        able.push_back({b.get(), warp, by_lane ? l & (~l + 1) : lanes});
        if (!by_lane) break;
      }
    }
  }
  if (able.empty()) return {};
  std::size_t at = 0;  // the last actor, or the first one behind it
  while (at < able.size() && place(able[at]) < place(last_)) ++at;
  if (able.size() > 1) {
    const auto number = static_cast<uint32_t>(choices_.size());
    for (const Departure& d : options_.interleaving.departures) {
      if (d.at == number) at += d.to;
    }
    choices_.push_back(static_cast<uint32_t>(able.size() - 1));
  }
  return able[at % able.size()];
}

// Lets all threads that spin run on without stops at strong accesses, until each has looked
// `detail::turn` times more. Returns false if they are sure to wait.
bool Engine::let_spin() {
  const uint64_t before = changes_;
  const std::size_t blocks = blocks_.size();
  choosing_ = false;
  for (auto& b : blocks_) {
    for (auto& l : b->lanes) {
      if (detail::is_open(*l)) l->stop = Stop::ready;
    }
    if (settle(*b) == BlockOutcome::finished) retire(b);
  }
  choosing_ = true;
  std::erase(blocks_, nullptr);
  return changes_ != before || blocks_.size() != blocks || !detail::sure(blocks_);
}

void Engine::retire(std::unique_ptr<Block>& b) {
  if (last_.block == b.get()) last_ = {};
  spare_ = std::move(b);
}

void Engine::launch_interleaved(unsigned grid) {
  const bool drawn = options_.interleaving.way == Interleaving::Way::drawn;
  habits_ = Habits::of(options_.schedule);
  last_ = {};
  unsigned begun = 0;
  const auto most = std::max<std::size_t>(detail::most_waiting / launch_.block, 1);
  std::size_t room = launch_.cooperative ? grid
                     : drawn             ? habits_.blocks
                                         : options_.interleaving.blocks;
  room = launch_.cooperative ? room : std::min(room, most);
  choosing_ = true;
  for (;;) {
    if (spent_ > limit_) grid = begun;  // no other block begins
    while (blocks_.size() < room && begun < grid) {
      auto b = spare_ != nullptr ? std::move(spare_) : std::make_unique<Block>();
      prepare(*b, order(begun++, grid, 77));
      if (settle(*b) == BlockOutcome::finished) {
        retire(b);
      } else {
        blocks_.push_back(std::move(b));
      }
    }
    if (blocks_.empty()) break;
    const Actor a = drawn ? draw_actor() : listed_actor();
    if (a.lanes != 0) {
      if (turn(a) != BlockOutcome::finished) continue;
      for (auto& b : blocks_) {
        if (b.get() == a.block) retire(b);
      }
      std::erase(blocks_, nullptr);
    } else if (std::none_of(blocks_.begin(), blocks_.end(),
                            [](const auto& b) { return b->open != 0; })) {
      pass_grid_barrier();
      for (auto& b : blocks_) {
        if (settle(*b) == BlockOutcome::finished) retire(b);
      }
      std::erase(blocks_, nullptr);
    } else if (!let_spin()) {
      if (begun < grid && room < most) {
        ++room;
        continue;
      }
      for (auto& b : blocks_) report_wait(*b, false);
      for (auto& b : blocks_) give_up(*b);
      blocks_.clear();
      last_ = {};
      grid = begun;
    }
  }
  choosing_ = false;
  spare_.reset();
}

}  // namespace onefold::sim
