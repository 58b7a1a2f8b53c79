// What a kernel text's words do on the simulated machine. Included by engine.hpp.
namespace onefold::sim {

inline Space& Engine::new_space(const char* name, std::size_t bytes, unsigned grain,
                                std::size_t skip) {
  auto b = std::make_unique<Buffer>();
  b->memory.assign(bytes, std::byte{garbage});
  b->cells.resize(bytes / grain);
  memory_used_ = (memory_used_ + 255) / 256 * 256;
  b->space = {.base = b->memory.data(),
              .bytes = bytes,
              .grain = grain,
              .shared = false,
              .bank_base = memory_used_ + skip,
              .cells = b->cells.data(),
              .name = name};
  memory_used_ += bytes + skip;
  register_space(b->space);
  buffers_.push_back(std::move(b));
  return buffers_.back()->space;
}

inline Space& Engine::shared(const void* tag, std::size_t bytes, unsigned grain) {
  Block& b = *lane_->block;
  for (auto& a : b.arrays) {
    if (a->tag == tag) return a->space;
  }
  auto a = std::make_unique<SharedArray>();
  a->tag = tag;
  a->cells.resize(bytes / grain);
  b.used = (b.used + 15) / 16 * 16;
  if (b.memory.size() < b.used + bytes) {
    b.memory.resize(b.used + bytes, std::byte{garbage});
    for (auto& old : b.arrays) old->space.base = b.memory.data() + old->space.bank_base;
  }
  a->space = {.base = b.memory.data() + b.used,
              .bytes = bytes,
              .grain = grain,
              .shared = true,
              .bank_base = b.used,
              .cells = a->cells.data(),
              .name = "shared"};
  b.used += bytes;
  register_space(a->space);
  b.arrays.push_back(std::move(a));
  return b.arrays.back()->space;
}

inline void Engine::flaw(FlawKind kind, Site at, Space* s, uint64_t element,
                         std::vector<unsigned> threads, Site other, unsigned other_block) {
  Flaw f{.kind = kind,
         .at = at,
         .other = other,
         .space = s ? s->name : "",
         .element = element,
         .block = lane_ ? lane_->block->index : 0,
         .threads = std::move(threads),
         .other_block = other_block};
  if (options_.observer != nullptr) options_.observer->flaw(f, s);
  const auto [it, fresh] = flaw_numbers_.try_emplace({kind, at, other}, flaws_.size());
  if (fresh) flaws_.push_back(std::move(f));
  ++flaws_[it->second].times;
}

inline void Engine::log(const Event& e) {
  if (options_.observer != nullptr) {
    options_.observer->event(lane_->block->index, lane_->thread, e, spaces_[e.space],
                             sites_[e.site]);
  }
  if (!options_.count) return;
  lane_->log.events.push_back(e);
  if (lane_->log.events.size() >= log_limit) stop(Stop::log_full, sites_[e.site]);
}

inline void Engine::check(Space& s, std::size_t offset, std::size_t bytes, Kind kind, Site at) {
  Lane& l = *lane_;
  races_.check(
      s, offset / s.grain, (offset + bytes - 1) / s.grain, kind, sites_.number(at), l,
      [&](std::size_t i, Stamp o, uint32_t o_site) {
        flaw(FlawKind::race, at, &s, i, {l.thread, static_cast<unsigned>(o.thread)}, sites_[o_site],
             races_.block_of(o));
      },
      [&](std::size_t i) { flaw(FlawKind::uninitialised, at, &s, i, {l.thread}); });
}

inline bool Engine::access(Space& s, std::size_t offset, unsigned bytes, Kind kind, Site at) {
  Lane& l = *lane_;
  if (offset > s.bytes || bytes > s.bytes - offset || (s.bank_base + offset) % bytes != 0) {
    flaw(FlawKind::out_of_bounds, at, &s, offset / s.grain, {l.thread});
    if (++l.strikes >= strikes_allowed) kill(l);
    return false;
  }
  const uint32_t site = sites_.number(at);
  if (options_.schedule == 0) stop(Stop::access, at);
  log({.site = site,
       .place = text_order(at),
       .offset = offset,
       .space = s.id,
       .bytes = static_cast<uint8_t>(bytes),
       .kind = kind});
  check(s, offset, bytes, kind, at);
  if (kind == Kind::atomic && !s.shared) races_.atomic(&s.cells[offset / s.grain], l);
  return true;
}

inline bool Engine::branch(bool taken, Site at) {
  log({.site = sites_.number(at),
       .place = text_order(at),
       .offset = taken,
       .space = 0,
       .bytes = 0,
       .kind = Kind::branch});
  return taken;
}

inline bool Engine::muted(Site at, std::vector<Site>& known) {
  if (std::find(known.begin(), known.end(), at) == known.end()) known.push_back(at);
  return options_.without && *options_.without == at;
}

inline bool Engine::inside(bool answer, Site at) {
  return branch(muted(at, inside_sites_) || answer, at);
}

inline void Engine::barrier(Site at) {
  if (!muted(at, sync_sites_)) stop(Stop::block_barrier, at);
}

inline void Engine::exchange(const Exchange& e, Site at) {
  if (e.kind == Collective::sync && muted(at, sync_sites_)) return;
  lane_->exchange = e;
  stop(Stop::collective, at);
}

inline void Engine::fence(Site at) {
  log({.site = sites_.number(at),
       .place = text_order(at),
       .offset = 0,
       .space = 0,
       .bytes = 0,
       .kind = Kind::fence});
  races_.fence(*lane_);
}

// A barrier is a word of shared memory that one thread makes ready and all use.
inline void Engine::touch_barrier(unsigned barrier, Kind kind, Site at) {
  constexpr unsigned bytes = 8;
  Space& s = shared(&lane_->block->barriers, lane_->block->barriers.size() * bytes, bytes);
  check(s, std::size_t{barrier} * bytes, bytes, kind, at);
}

inline void Engine::copy_bulk(const Bulk& copy, Site at) {
  Lane& l = *lane_;
  Block& b = *l.block;
  if (copy.bytes == 0) return;
  touch_barrier(copy.barrier, Kind::load, at);
  const auto number = static_cast<unsigned>(b.copies.size());
  const auto range = [&](Space& s, std::size_t offset, Kind kind) {
    if (offset > s.bytes || copy.bytes > s.bytes - offset) {
      flaw(FlawKind::out_of_bounds, at, &s, offset / s.grain, {l.thread});
      return false;
    }
    check(s, offset, copy.bytes, kind, at);
    return true;
  };
  if (!range(*copy.from, copy.from_at, Kind::load)) return;
  if (!range(*copy.to, copy.to_at, Kind::store)) return;
  const std::size_t grain = copy.to->grain;
  Stamp by_copy = stamp(b.phase, l.thread, number);
  by_copy.copy = 1;
  for (std::size_t i = copy.to_at / grain; i <= (copy.to_at + copy.bytes - 1) / grain; ++i) {
    copy.to->cells[i].write = by_copy;
  }
  for (auto& other : b.lanes) other->copies_seen &= ~(uint64_t{1} << (number % 64));
  b.copies.push_back({.bulk = copy});
  b.barriers[copy.barrier].pending.push_back(number);
}

inline void Engine::wait_bulk(unsigned barrier, unsigned parity, Site at) {
  Lane& l = *lane_;
  Block& b = *l.block;
  BulkBarrier& bar = b.barriers[barrier];
  touch_barrier(barrier, Kind::load, at);
  l.barrier = barrier;
  l.parity = parity;
  while ((b.completed[barrier] & 1) == parity && bar.pending.empty()) stop(Stop::bulk, at);
  if ((b.completed[barrier] & 1) == parity) {
    Copy& c = b.copies[bar.pending.front()];
    std::memcpy(c.bulk.to->base + c.bulk.to_at, c.bulk.from->base + c.bulk.from_at, c.bulk.bytes);
    if (options_.observer != nullptr) options_.observer->landed(b.index, c.bulk);
    c.landed_phase = b.phase;
    bar.landed.push_back(bar.pending.front());
    bar.pending.pop_front();
    ++b.completed[barrier];
  }
  for (const unsigned k : bar.landed) {
    if (k + 64 > b.copies.size()) l.copies_seen |= uint64_t{1} << (k % 64);
  }
}

inline Report Engine::report() const {
  Report r;
  r.counters = counting_.counters;
  for (uint32_t k = 0; k < counting_.lines.size(); ++k) {
    if (counting_.lines[k].instructions != 0) r.lines[sites_[k]] = counting_.lines[k];
  }
  r.flaws = flaws_;
  r.sync_sites = sync_sites_;
  r.inside_sites = inside_sites_;
  return r;
}

}  // namespace onefold::sim
