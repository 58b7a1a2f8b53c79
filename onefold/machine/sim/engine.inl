// Implements the functions that kernels call, on the simulated machine. Included by sim.inl.
namespace onefold::sim {

namespace detail {

constexpr unsigned strikes_allowed = 64;  // so many accesses out of bounds stop a thread
constexpr unsigned char garbage = 0x5a;   // what unwritten memory holds
// A thread is watched once it has made so many accesses since its last stop
constexpr uint32_t unwatched = 1024;
constexpr unsigned turn = 256;        // so many reads of unchanged words, then others run
constexpr unsigned patience = 65536;  // so many, and the thread is sure to wait
// The most threads in waiting blocks that are kept; a GPU holds 2048 in a multiprocessor.
constexpr std::size_t most_waiting = 16384;

inline uint64_t value_at(const Space& s, std::size_t offset, std::size_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, s.base + offset, std::min(bytes, sizeof value));
  return value;
}

// Quotient and remainder by an element's size, by shifts if that is a power of two (all but odd
// structs): divisions took 6 % of a run.
inline std::size_t quotient(std::size_t x, unsigned size) {
  return (size & (size - 1)) == 0 ? x >> std::countr_zero(size) : x / size;
}
inline std::size_t remainder(std::size_t x, unsigned size) {
  return (size & (size - 1)) == 0 ? x & (size - 1) : x % size;
}

}  // namespace detail

Engine::Engine(const Options& o)
    : options_(o),
      logging_(o.count || o.observer != nullptr),
      limit_(o.budget),
      counting_(o.chip),
      races_(o.scopes),
      random_(o.schedule * 0x9e3779b97f4a7c15u + 1),
      draws_(o.schedule) {}

Engine::~Engine() = default;

Place Engine::place() { return {lane_->thread, lane_->block->index, launch_.block, launch_.grid}; }

Space& Engine::new_space(const char* name, std::size_t bytes, unsigned grain, std::size_t skip) {
  auto b = std::make_unique<Buffer>();
  b->memory.assign(bytes, std::byte{detail::garbage});
  b->cells = Zeros<Cell>(bytes / grain);
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

Space& Engine::shared(const void* tag, std::size_t bytes, unsigned grain) {
  Block& b = *lane_->block;
  for (auto& a : b.arrays) {
    if (a->tag == tag) return a->space;
  }
  auto a = std::make_unique<SharedArray>();
  a->tag = tag;
  a->cells = Zeros<Cell>((bytes + grain - 1) / grain);
  b.used = (b.used + 15) / 16 * 16;
  if (b.memory.size() < b.used + bytes) {
    b.memory.resize(b.used + bytes, std::byte{detail::garbage});
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

// Returns true if the log is full, so that the access is not made and the call must be repeated.
[[gnu::always_inline]] inline bool Engine::log(uint32_t site, Kind kind, uint64_t offset,
                                               const Space* s, unsigned bytes) {
  const What what{.site = site,
                  .space = s != nullptr ? s->id : uint16_t{0},
                  .bytes = static_cast<uint8_t>(bytes),
                  .kind = kind};
  if (options_.observer != nullptr) show(what, offset);
  const uint64_t value = s != nullptr ? s->bank_base + offset : offset;
  return options_.count && log_.add(lane_->lane(), what, value, sites_) &&
         stop(Stop::log_full, site);
}

[[gnu::cold]] void Engine::show(What w, uint64_t offset) {
  options_.observer->event(lane_->block->index, lane_->thread,
                           {w.site, sites_.order(w.site), offset, w.space, w.bytes, w.kind},
                           spaces_[w.space], sites_[w.site]);
}

// Returns whether a byte of an element counts, in an access that begins at an offset.
[[gnu::cold]] bool Engine::is_used(std::size_t element, std::size_t bytes,
                                   std::size_t offset) const {
  for (std::size_t at = std::max(element, offset); at < element + bytes; ++at) {
    if (at - offset < 32 && (used_bytes_ >> (at - offset) & 1) != 0) return true;
  }
  return false;
}

[[gnu::always_inline]] inline void Engine::check(Space& s, std::size_t offset, std::size_t bytes,
                                                 Kind kind, uint32_t site, Strength strength) {
  const std::size_t last = detail::quotient(offset + bytes - 1, s.grain);
  for (std::size_t i = detail::quotient(offset, s.grain); i <= last; ++i) {
    if (used_bytes_ != ~0u && !is_used(i * s.grain, s.grain, offset)) continue;
    races_.check(s, i, kind, site, *lane_, *this, strength);
  }
}

inline void Engine::seen_change(Lane& l) {
  l.events = 0;
  if (l.watch.waiting) ++changes_;
  l.watch = {};
}

[[gnu::cold]] void Engine::spend(uint32_t site) {
  flaw({.kind = FlawKind::no_progress,
        .at = sites_[site],
        .threads = {lane_->thread},
        .after_flaw = limit_ != options_.budget});
  given_up_ = true;
  kill(*lane_);
}

constexpr uint8_t again = 255;  // the whole access is made again

// An interpreter repeats the call after each stop of its thread; `access_at` is the last stop.
[[gnu::always_inline]] inline bool Engine::touch(Space& s, uint64_t from, unsigned bytes, Kind kind,
                                                 Caller at, Strength strength) {
  const uint32_t site = sites_.number(at);
  const auto offset = static_cast<std::size_t>(from);
  Lane& l = *lane_;
  const auto leaves = [&](uint8_t at) { return l.access_at = at, false; };
  switch (std::exchange(l.access_at, uint8_t{0})) {
    case again:
    case 0: {
      if (++spent_ > limit_) spend(site);
      l.last = site;
      if (from > s.bytes || bytes > s.bytes - offset ||
          detail::remainder(s.bank_base + offset, bytes) != 0) {
        return refuse(s, from, bytes, kind, site);
      }
      if (++l.events > detail::unwatched && watch(s, offset, bytes, kind, site)) return leaves(1);
      [[fallthrough]];
    }
    case 1:
      if (strength != Strength::weak && choosing_ && choose(s, offset, bytes, site)) {
        return leaves(2);
      }
      [[fallthrough]];
    case 2:
      if (options_.schedule == 0 && stop(Stop::access, site)) return leaves(3);
      [[fallthrough]];
    case 3:
      if (logging_ && log(site, kind, offset, &s, bytes)) return leaves(4);
      [[fallthrough]];
    default:
      break;
  }
  check(s, offset, bytes, kind, site, strength);
  if (strength != Strength::weak) races_.atomic(s, &s.cells[offset / s.grain], *lane_, kind);
  return true;
}
bool Engine::access(Space& s, uint64_t offset, unsigned bytes, Kind kind, Caller at) {
  return touch(s, offset, bytes, kind, at,
               kind == Kind::atomic ? Strength::strong : Strength::weak);
}
bool Engine::access(Space& s, uint64_t offset, unsigned bytes, Kind kind, Caller at,
                    Strength strength) {
  // Most accesses are weak. Calling touch() with a constant saves a quarter of the time.
  if (strength == Strength::weak) return touch(s, offset, bytes, kind, at, Strength::weak);
  return touch(s, offset, bytes, kind, at, strength);
}

// Adds a branch to the hash of the lane's path through the code.
inline void follow(Lane& l, uint32_t site, bool taken) {
  l.last = site;
  l.way = (l.way ^ (site * 2 + (taken ? 1 : 0) + 1)) * 0x9e3779b1u;
}

bool Engine::branch(bool taken, Caller at) {
  const uint32_t site = sites_.number(at);
  if (++spent_ > limit_) spend(site);
  follow(*lane_, site, taken);
  if (logging_) log(site, Kind::branch, taken, nullptr, 0);
  return taken;
}

// Returns whether this is the source location that a mutation disables; lists locations when first
// met.
[[gnu::always_inline]] inline bool Engine::muted(uint32_t site, std::vector<Site>& known) {
  const Mute m = site < mutes_.size() ? mutes_[site] : Mute::unknown;
  return (m == Mute::unknown ? meet_site(site, known) : m) == Mute::yes;
}

[[gnu::noinline]] Engine::Mute Engine::meet_site(uint32_t site, std::vector<Site>& known) {
  if (site >= mutes_.size()) mutes_.resize(site + 1);
  known.push_back(sites_[site]);
  const bool mute = options_.without && *options_.without == sites_[site];
  return mutes_[site] = mute ? Mute::yes : Mute::no;
}

bool Engine::inside(bool answer, Caller at) {
  const uint32_t site = sites_.number(at);
  const bool taken = muted(site, inside_sites_) || answer;
  follow(*lane_, site, taken);
  if (logging_) log(site, Kind::branch, taken, nullptr, 0);
  return taken;
}

void Engine::barrier(Caller at) {
  const uint32_t site = sites_.number(at);
  if (!muted(site, sync_sites_)) stop(Stop::block_barrier, site);
}

void Engine::exchange(const Exchange& e, Caller at) {
  const uint32_t site = sites_.number(at);
  if (e.kind == Collective::sync && muted(site, sync_sites_)) return;
  lane_->exchange = e;
  lane_->last = site;
  lane_->passed = 0;
  stop(Stop::collective, site);
}

void Engine::fence(Caller at) {
  if (logging_) log(sites_.number(at), Kind::fence, 0, nullptr, 0);
  races_.fence(*lane_);
}

void Engine::fence_of_block(Caller at) {
  if (logging_) log(sites_.number(at), Kind::fence, 0, nullptr, 0);
  races_.fence(*lane_, true);
}

void Engine::named_barrier(unsigned number, unsigned threads, bool waits, Caller at) {
  const uint32_t site = sites_.number(at);
  if (++spent_ > limit_) spend(site);
  Lane& l = *lane_;
  NamedBarrier& n = l.block->named[number];
  if (n.full) release_named(*l.block, n);
  if (!n.before.empty()) check_round(n, site);
  n.arrivals.push_back({&l, site, races_.arrive(l, n), waits});
  n.come += l.thread + 1 == launch_.block ? 32 - l.lane() : 1;
  n.full = n.come >= threads;
  if (n.full && !waits) return release_named(*l.block, n);
  if (n.full) l.block->full |= static_cast<uint16_t>(1u << number);
  if (waits) stop(Stop::named_barrier, site);
}

// A warp that comes to the next round of a barrier must be ordered after the last round. Otherwise
// it could have come earlier, in place of another warp: a flaw.
void Engine::check_round(const NamedBarrier& n, uint32_t site) {
  for (const Stamp s : n.before) {
    if (s.warp() == lane_->thread / 32 || races_.after(s, *lane_)) continue;
    return flaw({.kind = FlawKind::mixed_barrier,
                 .at = sites_[site],
                 .threads = {lane_->thread, static_cast<unsigned>(s.thread)}});
  }
}

// Checks an access to a bulk barrier, as a word of shared memory that one thread initialises and
// all use.
void Engine::touch_barrier(unsigned barrier, Kind kind, uint32_t site) {
  constexpr unsigned bytes = 8;
  Space& s = shared(&lane_->block->barriers, lane_->block->barriers.size() * bytes, bytes);
  check(s, std::size_t{barrier} * bytes, bytes, kind, site);
}

void Engine::stamp_copied(const Bulk& copy, Stamp by, uint32_t site) {
  const std::size_t grain = copy.to->grain;
  const std::size_t end = copy.to_at + copy.bytes + copy.zeros;
  for (std::size_t i = copy.to_at / grain; i <= (end - 1) / grain; ++i) {
    copy.to->cells[i].write = by;
    copy.to->cells[i].write_site = site;
  }
}

void Engine::copy_bulk(const Bulk& copy, Caller at) {
  Lane& l = *lane_;
  Block& b = *l.block;
  if (copy.bytes == 0) return;
  const uint32_t site = sites_.number(at);
  touch_barrier(copy.barrier, Kind::load, site);
  const auto number = static_cast<unsigned>(b.copies.size());
  const auto range = [&](Space& s, std::size_t offset, Kind kind) {
    if (offset > s.bytes || copy.bytes > s.bytes - offset) {
      --l.strikes;  // a copy out of bounds does not count towards strikes_allowed
      return refuse(s, offset, static_cast<unsigned>(copy.bytes), kind, site);
    }
    check(s, offset, copy.bytes, kind, site);
    return true;
  };
  if (!range(*copy.from, copy.from_at, Kind::load)) return;
  if (!range(*copy.to, copy.to_at, Kind::store)) return;
  Stamp by_copy = stamp(b.phase, l.thread, number);
  by_copy.copy = 1;
  stamp_copied(copy, by_copy, site);
  for (auto& other : b.lanes) other->copies_seen &= ~(uint64_t{1} << (number % 64));
  b.copies.push_back({.bulk = copy});
  b.barriers[copy.barrier].pending.push_back(number);
}

void Engine::wait_bulk(unsigned barrier, unsigned parity, Caller at) {
  Lane& l = *lane_;
  Block& b = *l.block;
  BulkBarrier& bar = b.barriers[barrier];
  const uint32_t site = sites_.number(at);
  touch_barrier(barrier, Kind::load, site);
  l.barrier = barrier;
  l.parity = parity;
  while ((b.completed[barrier] & 1) == parity && bar.pending.empty()) {
    if (stop(Stop::bulk, site)) return;
  }
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

void Engine::copy_async(const Bulk& copy, Caller at) {
  Lane& l = *lane_;
  const auto all = static_cast<unsigned>(copy.bytes + copy.zeros);
  // If the thread stops, a repeated call continues here; otherwise the copy is refused.
  const auto left = [&] {
    if (l.access_at == 0) l.copied = 0;
  };
  while (l.copied < copy.bytes) {  // in accesses of a power of two bytes
    const auto part = static_cast<unsigned>(std::bit_floor(copy.bytes - l.copied));
    if (!access(*copy.from, copy.from_at + l.copied, part, Kind::load, at)) return left();
    l.copied += part;
  }
  if (!access(*copy.to, copy.to_at, all, Kind::store, at)) return left();
  l.copied = 0;
  Stamp on_its_way = stamp(l.block->phase, l.thread, 0);
  on_its_way.copy = 1;
  stamp_copied(copy, on_its_way, sites_.number(at));
  l.copying.push_back(copy);
}

// Completes copies. Races are checked as if the thread had read the source and written the
// destination now.
void Engine::wait_copies(unsigned pending, Caller at) {
  Lane& l = *lane_;
  const uint32_t site = sites_.number(at);
  if (muted(site, sync_sites_)) return;
  while (l.groups.size() > pending) {
    for (const Bulk& c : l.groups.front()) {
      if (c.bytes != 0) {
        check(*c.from, c.from_at, c.bytes, Kind::load, site);
        std::memcpy(c.to->base + c.to_at, c.from->base + c.from_at, c.bytes);
      }
      std::memset(c.to->base + c.to_at + c.bytes, 0, c.zeros);
      stamp_copied(c, stamp(l.block->phase, l.thread, l.epoch), site);
      if (options_.observer != nullptr && c.bytes != 0) {
        options_.observer->landed(l.block->index, c);
      }
    }
    l.groups.pop_front();
  }
}

Report Engine::report() const {
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
