// The blocks of a launch: starts and resumes them, and finds those that wait forever. Included by
// sim.inl.
namespace onefold::sim {

// Watches a thread that has not stopped for long, to find whether it waits for a word. Returns true
// if the call must be repeated.
[[gnu::noinline]] bool Engine::watch(Space& s, std::size_t offset, unsigned bytes, Kind kind,
                                     uint32_t site) {
  Lane& l = *lane_;
  Watch& w = l.watch;
  const uint64_t value = detail::value_at(s, offset, bytes);
  for (unsigned k = 0; k < w.used; ++k) {
    Watch::Word& word = w.words[k];
    if (word.space != &s || word.offset != offset) continue;
    if (kind == Kind::store || word.value != value) return seen_change(l), false;
    if (++w.same % detail::turn != 0) return false;
    w.waiting = true;
    std::swap(w.words[0], word);  // words[0] is the one that a report names
    return stop(Stop::waiting, site);
  }
  if (kind == Kind::store || w.used == w.words.size()) return seen_change(l), false;
  w.words[w.used++] = {&s, offset, value, bytes};
  return false;
}

void Engine::prepare(Block& b, unsigned index) {
  if (limit_ != options_.budget) shorten();
  b.index = index;
  b.phase = b.first_phase = races_.new_phase(index);
  b.clock.clear();
  b.words.clear();
  b.copies.assign(1, {});
  b.barriers.fill({});
  b.completed.fill(0);
  for (NamedBarrier& n : b.named) n = {};
  b.full = 0;
  b.warp_floor.assign((launch_.block + 31) / 32, 0);
  std::fill(b.memory.begin(), b.memory.end(), std::byte{detail::garbage});
  while (b.lanes.size() < launch_.block) {
    const auto thread = static_cast<unsigned>(b.lanes.size());
    b.lanes.push_back(std::make_unique<Lane>(b, thread, make_(argument_)));
  }
  b.lanes.resize(launch_.block);
  for (auto& l : b.lanes) {
    l->execution->begin();
    l->access_at = 0;
    l->copied = 0;
    l->stop = Stop::ready;
    l->strikes = 0;
    l->events = 0;
    l->watch = {};
    l->poll = {};
    l->epoch = 0;
    l->way = l->unsure = 0;
    l->last = ~0u;
    if (b.partial_syncs) l->warp_known.fill(0);
    l->fenced = l->fenced_here = l->met = {};
    l->pending.reset(), l->pending_here.reset();
    l->clock.clear();
    l->copies_seen = 0;
    l->copying.clear();
    l->groups.clear();
  }
  b.partial_syncs = false;
  counting_.counters.warps += b.warp_floor.size();
  if (options_.observer != nullptr) options_.observer->block(index);
}

void Engine::note_copy(Space& s, std::size_t offset, std::size_t bytes, Kind kind, Caller at) {
  if (bytes == 0) return;
  races_.begin_launch();
  Block block;
  block.phase = block.first_phase = races_.new_phase(0);
  Lane host(block, Races::host_thread, nullptr);
  lane_ = &host;
  const bool expected = std::exchange(unwritten_is_expected_, true);
  check(s, offset, bytes, kind, sites_.number(at), Strength::weak);
  unwritten_is_expected_ = expected;
  lane_ = nullptr;
}

void Engine::launch(const Launch& launch, MakeExecution make, void* argument) {
  launch_ = launch;
  make_ = make;
  argument_ = argument;
  Host* const before = host;
  host = this;
  races_.begin_launch();
  if (!given_up_) spent_ = 0, limit_ = options_.budget;
  if (options_.observer != nullptr) options_.observer->launch(launch.grid, launch.block);
  blocks_.clear();
  if (options_.interleaving.way != Interleaving::Way::none) {
    launch_interleaved(launch.grid);
  } else if (launch.cooperative) {
    launch_together(launch.grid);
  } else {
    launch_in_order(launch.grid);
  }
  lane_ = nullptr;
  host = before;
  for (const Pointer<unsigned> t : tickets_) {
    unsigned v = 0;
    read(t, &v, 1);
    if (v != 0) flaw({.kind = FlawKind::dirty_ticket}, t.space);
  }
}

void Engine::launch_together(unsigned grid) {
  for (unsigned k = 0; k < grid; ++k) blocks_.push_back(std::make_unique<Block>());
  for (unsigned k = 0; k < grid; ++k) prepare(*blocks_[k], k);
  for (bool waiting = true; waiting;) {
    bool spins = true;
    // At least two rounds without a change: a thread that waits in the first may not have seen what
    // later blocks did in it.
    for (unsigned rested = ~0u, rest = 0; spins; rested = rest) {
      waiting = spins = false;
      rest = 0;
      const uint64_t before = changes_;
      for (unsigned k = 0; k < grid; ++k) {
        const BlockOutcome ran = run(*blocks_[order(k, grid, 77)]);
        waiting = waiting || ran == BlockOutcome::at_grid_barrier;
        spins = spins || ran == BlockOutcome::waits;
        rest += ran != BlockOutcome::waits;
      }
      if (!spins || changes_ != before || rest != rested || !detail::sure(blocks_)) continue;
      for (auto& b : blocks_) report_wait(*b, false);
      for (auto& b : blocks_) give_up(*b);
    }
    if (waiting && options_.observer != nullptr) options_.observer->grid_barrier();
    pass_grid_barrier();
  }
}

void Engine::pass_grid_barrier() {
  races_.grid_barrier();
  for (auto& b : blocks_) {
    races_.block_barrier(*b);
    for (auto& l : b->lanes) {
      if (l->stop == Stop::grid_barrier) l->stop = Stop::ready;
    }
  }
}

// Of blocks that do not all run at once the others cannot arrive.
void Engine::pass_grid_barrier(Block& b) {
  for (auto& l : b.lanes) {
    if (l->stop != Stop::grid_barrier) continue;
    lane_ = l.get();
    flaw({.kind = FlawKind::barrier_not_reached, .at = sites_[l->site], .threads = {l->thread}});
    l->stop = Stop::ready;
  }
}

// Runs blocks one after another. A block that waits for others is kept while those that have begun
// run on; if none of them can, the next block begins.
void Engine::launch_in_order(unsigned grid) {
  std::vector<std::unique_ptr<Block>> waiting;
  std::unique_ptr<Block> spare;
  const auto goes_on = [&](Block& b) {
    for (;;) {
      const BlockOutcome ran = run(b);
      if (ran != BlockOutcome::at_grid_barrier) return ran == BlockOutcome::waits;
      pass_grid_barrier(b);
    }
  };
  for (unsigned begun = 0; begun < grid || !waiting.empty();) {
    if (spent_ > limit_) grid = begun;  // no other block begins
    const uint64_t before = changes_;
    bool finished = false;
    for (auto& b : waiting) {
      if (goes_on(*b)) continue;
      finished = true;
      spare = std::move(b);
    }
    std::erase(waiting, nullptr);
    if (begun == grid && waiting.empty()) break;
    if (finished || changes_ != before || !detail::sure(waiting)) continue;
    const bool room = (waiting.size() + 1) * launch_.block <= detail::most_waiting;
    if (begun == grid || !room) {
      for (auto& b : waiting) report_wait(*b, begun < grid), give_up(*b);
      waiting.clear();
      continue;
    }
    // The waiting block may not rely on a later block: a GPU may have no room for that.
    if (options_.schedule < 2) {
      for (auto& b : waiting) report_wait(*b, true);
    }
    auto next = spare != nullptr ? std::move(spare) : std::make_unique<Block>();
    prepare(*next, order(begun++, grid, 77));
    if (goes_on(*next)) {
      waiting.push_back(std::move(next));
    } else {
      spare = std::move(next);
    }
  }
}

// Reports a wait: one lane of those that wait at the same source location.
void Engine::report_wait(Block& b, bool further_on) {
  std::vector<uint32_t> told;
  for (auto& l : b.lanes) {
    if (l->stop != Stop::waiting || std::count(told.begin(), told.end(), l->site) != 0) continue;
    told.push_back(l->site);
    lane_ = l.get();
    const Watch::Word& w = l->watch.words[0];
    auto* s = const_cast<Space*>(w.space);
    const std::size_t i = w.offset / s->grain;
    const Cell& c = s->cells[i];
    const bool by_atomic = s->atomics != nullptr && s->atomics[i].last.phase > c.write.phase;
    const Stamp last = by_atomic ? s->atomics[i].last : c.write;
    const uint32_t site = by_atomic ? s->atomics[i].last_site : c.write_site;
    std::vector<unsigned> threads{l->thread};
    const bool own = last.phase == b.phase && last.thread == l->thread;
    const bool written = last.phase > Races::by_host && !own;
    if (written) threads.push_back(static_cast<unsigned>(last.thread));
    flaw({.kind = FlawKind::no_progress,
          .at = sites_[l->site],
          .other = written ? sites_[site] : Site{},
          .element = i,
          .offset = static_cast<int64_t>(w.offset),
          .threads = std::move(threads),
          .other_block = written ? races_.block_of(last) : 0,
          .further_on = further_on},
         s);
  }
}

void Engine::give_up(Block& b) {
  for (auto& l : b.lanes) {
    if (l->stop == Stop::done) continue;
    l->stop = Stop::done;
  }
}

}  // namespace onefold::sim
