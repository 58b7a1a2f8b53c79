// The simulated machine: memory, threads, warps and blocks, on one OS thread.
//
//   order     blocks run one after another (all at once if a launch says so); the schedule orders
//             warps and lanes; a lane runs to its next stop: a barrier or a warp-wide step
//   interleaving  a lane also stops before each strong access (atomic, volatile, relaxed, acquire,
//             release) and after each fence of PTX; several blocks are in flight. Drawn orders are
//             samples; the small ones are all orders of few blocks with few departures
//   not seen  other values than those of some order of the strong accesses, as weaker memory allows
//   progress  a thread that waits for a word lets other threads run, then blocks that have not
//             begun. A wait that no store ends is a flaw. So is a wait that only a later block of
//             the grid ends: a GPU may have no room for that block
//   counters  from each warp's accesses in convergent order, so the same under every schedule
//   flaws     races by happens-before, and all other kinds of `FlawKind` except wrong_result
//   same      equal options and launches give equal reports
#pragma once

#include <bit>
#include <functional>
#include <optional>
#include <utility>

#include "onefold/machine/sim/count.hpp"
#include "onefold/machine/sim/interleaving.hpp"
#include "onefold/machine/sim/observer.hpp"
#include "onefold/machine/sim/races.hpp"
#include "onefold/machine/sim/text.hpp"

namespace onefold::sim {

struct Options {
  Chip chip = sm_90;
  // 0: lock-step, as chips before Volta run; 1: each lane runs to its next stop, in order; others:
  // in an order drawn from this number. All find the races of the accesses that they make; which
  // accesses these are may depend on the order of atomics (see Interleaving).
  unsigned schedule = 0;
  bool count = true;
  bool scopes = false;  // whether fences of a block's scope exist
  // Ignores one sync, sync_warp or wait for copies, or makes one `inside` true.
  std::optional<Site> without{};
  Observer* observer = nullptr;
  // The most accesses and branches of all threads of a launch; then all launches are given up.
  uint64_t budget = uint64_t{1} << 36;
  // The most further ones after a barrier or a warp-wide step that lacked threads, and again after
  // each later begin of a block: threads go on with arbitrary values then, and may never end.
  uint64_t budget_after_flaw = uint64_t{1} << 23;
  Interleaving interleaving{};  // needs count = false
};

struct Launch {
  unsigned grid = 1, block = 256;
  std::size_t shared_bytes = 0;  // size of `extern __shared__`
  bool cooperative = false;      // all blocks run at once, so grid barriers may be used
};

class Engine final : public Host {
 public:
  explicit Engine(const Options& o);
  Engine(const Engine&) = delete;
  ~Engine();

  // Allocates global memory for n elements. They count as unwritten unless `contents` is given. The
  // address is a multiple of 256 bytes, plus `skip` elements.
  template <class T>
  Pointer<T> allocate(const char* name, std::size_t n, const T* contents, std::size_t skip = 0) {
    return {&allocate(name, n * sizeof(T), sizeof(T), contents, skip * sizeof(T)), 0};
  }
  // The same with a size of elements that is known at run time.
  Space& allocate(const char* name, std::size_t bytes, unsigned grain, const void* contents,
                  std::size_t skip = 0) {
    Space& s = new_space(name, bytes, grain, skip);
    if (contents != nullptr) write(s, 0, contents, bytes);
    return s;
  }
  // Writes from the host, between launches.
  template <class T>
  void write(Pointer<T> p, const T* from, std::size_t n) {
    write(*p.space, p.offset, from, n * sizeof(T));
  }
  // Writes whole elements.
  void write(Space& s, std::size_t offset, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    std::memcpy(s.base + offset, from, bytes);
    for (std::size_t i = offset / s.grain; i < (offset + bytes) / s.grain; ++i) {
      s.cells[i].write = stamp(Races::by_host, 0, 0);
    }
  }
  template <class T>
  void read(Pointer<T> p, T* to, std::size_t n) const {
    if (n != 0) std::memcpy(to, p.space->base + p.offset, n * sizeof(T));
  }
  // The phase of the next access, and which earlier ones later launches and copies are not ordered
  // after (`Races::set_apart`).
  uint32_t next_phase() const { return races_.next_phase(); }
  void set_apart(uint32_t from, std::function<bool(uint32_t phase)> apart) {
    races_.set_apart(from, std::move(apart));
  }
  // Checks and notes an access that the host makes between launches, and that may be unordered.
  void note_copy(Space& s, std::size_t offset, std::size_t bytes, Kind kind, Caller at);
  // Frees memory: later accesses are out of bounds.
  void release(Space& s, const char* name) {
    const auto b = std::find_if(buffers_.begin(), buffers_.end(),
                                [&](const auto& o) { return &o->space == &s; });
    std::vector<std::byte>().swap((*b)->memory);
    (*b)->cells = {};
    s.bytes = 0;
    s.name = name;
  }
  // Names a word that must be zero after every launch.
  void expect_zero(Pointer<unsigned> ticket) { tickets_.push_back(ticket); }

  // Runs make(argument) for each thread; meanwhile this engine is the host of this OS thread.
  using MakeExecution = std::unique_ptr<Execution> (*)(void* argument);
  void launch(const Launch& launch, MakeExecution make, void* argument);

  Report report() const;

  // Host (the functions that override its)
  Place place() override;
  bool access(Space& s, uint64_t offset, unsigned bytes, Kind kind, Caller at) override;
  // As above, but also for loads and stores such as ld.relaxed or st.release. Those race with no
  // atomic.
  bool access(Space& s, uint64_t offset, unsigned bytes, Kind kind, Caller at, Strength strength);
  // Returns whether the last access stopped an interpreter's thread before it was made. The
  // interpreter makes the access again when the thread continues. The same holds for copy_async.
  bool paused() const { return lane_->access_at != 0 || lane_->copied != 0; }
  // Declares source locations that instructions refer to by numbers 0, 1, ..., before the first
  // launch. leads(a, b) returns whether a thread can get from location a to b.
  void know(std::span<const Site> places, std::function<bool(uint32_t, uint32_t)> leads) {
    sites_.know(places);
    leads_ = std::move(leads);
  }
  const Site& site(Caller at) { return sites_[sites_.number(at)]; }
  // Shows the next launches to an observer; null: to none.
  void observe(Observer* o) { options_.observer = o, logging_ = options_.count || o != nullptr; }
  // Says whether later accesses may read memory that nobody has written.
  void expect_unwritten(bool may) { unwritten_is_expected_ = may; }
  // Says which bytes of later accesses count; the lowest bit is the first byte. A compiler merges
  // loads of neighbours into a wide one, which may cover a word that another thread writes.
  void only_bytes(uint32_t used) { used_bytes_ = used; }
  void fence_of_block(Caller at);
  // Returns whether the running thread has executed a device-wide fence in this launch.
  bool fenced() const { return lane_->fenced.phase != 0; }
  // A barrier of `threads` threads of the block; if `waits` is false, the thread only arrives.
  void named_barrier(unsigned number, unsigned threads, bool waits, Caller at);
  // Lets others run, where blocks interleave. Returns whether an interpreter's thread has stopped,
  // before the access that it makes again.
  bool yield(Caller at, bool before_access);
  // For each choice of a listed order: how many other actors could have gone on.
  const std::vector<uint32_t>& choices() const { return choices_; }
  // Counts steps of the running thread that access no memory.
  void work(uint64_t steps, Caller at) {
    spent_ += steps;
    if (spent_ > limit_) spend(sites_.number(at));
  }
  // Reports that the running thread uses a local value that was never set.
  void unset(Caller at) {
    flaw({.kind = FlawKind::uninitialised,
          .at = sites_[sites_.number(at)],
          .threads = {lane_->thread}});
  }
  // Ends the running thread and releases what it holds.
  [[noreturn]] void end_thread() { kill(*lane_); }
  bool branch(bool taken, Caller at) override;
  bool inside(bool answer, Caller at) override;
  void barrier(Caller at) override;
  void grid_barrier(Caller at) override { stop(Stop::grid_barrier, sites_.number(at)); }
  void exchange(const Exchange& e, Caller at) override;
  void fence(Caller at) override;
  Space& shared(const void* tag, std::size_t bytes, unsigned grain) override;
  Space& shared_of_launch(unsigned grain) override {
    return shared(this, launch_.shared_bytes, grain);
  }
  void open_bulk(unsigned barrier, Caller at) override {
    touch_barrier(barrier, Kind::store, sites_.number(at));
  }
  void copy_bulk(const Bulk& copy, Caller at) override;
  void wait_bulk(unsigned barrier, unsigned parity, Caller at) override;
  void copy_async(const Bulk& copy, Caller at) override;
  void commit_copies() override { lane_->groups.push_back(std::exchange(lane_->copying, {})); }
  void wait_copies(unsigned pending, Caller at) override;

 private:
  friend Races;

  struct Buffer {
    Space space;
    std::vector<std::byte> memory;
    Zeros<Cell> cells;
  };

  Space& new_space(const char* name, std::size_t bytes, unsigned grain, std::size_t skip);
  void register_space(Space& s) {
    s.id = static_cast<uint16_t>(spaces_.size());
    spaces_.push_back(&s);
  }

  bool touch(Space& s, uint64_t offset, unsigned bytes, Kind kind, Caller at, Strength strength);
  bool is_used(std::size_t element, std::size_t bytes, std::size_t offset) const;
  void check(Space& s, std::size_t offset, std::size_t bytes, Kind kind, uint32_t site,
             Strength strength = Strength::weak);
  void race(Space& s, std::size_t element, Kind kind, uint32_t site, Stamp earlier,
            uint32_t earlier_site, Kind earlier_kind);
  void unwritten(Space& s, std::size_t element, uint32_t site);
  bool refuse(Space& s, uint64_t offset, unsigned bytes, Kind kind, uint32_t site);
  void touch_barrier(unsigned barrier, Kind kind, uint32_t site);
  void stamp_copied(const Bulk& copy, Stamp by, uint32_t site);

  void prepare(Block& b, unsigned index);
  enum class BlockOutcome { finished, at_grid_barrier, waits };
  BlockOutcome run(
      Block& b);  // until all threads are done, at a grid barrier, or wait for other blocks
  void run_warps(Block& b);
  void launch_together(unsigned grid);
  void launch_in_order(unsigned grid);
  void launch_interleaved(unsigned grid);
  bool choose(const Space& s, std::size_t offset, unsigned bytes, uint32_t site);
  BlockOutcome settle(Block& b);
  BlockOutcome turn(const Actor& a);
  Actor draw_actor();
  Actor listed_actor();
  bool let_spin();
  void retire(std::unique_ptr<Block>& b);
  void pass_grid_barrier();          // all blocks have arrived
  void pass_grid_barrier(Block& b);  // the others cannot arrive
  void report_wait(Block& b, bool further_on);
  void give_up(Block& b);
  bool watch(Space& s, std::size_t offset, unsigned bytes, Kind kind, uint32_t site);
  void spend(uint32_t site);
  void shorten() { limit_ = std::min(options_.budget, spent_ + options_.budget_after_flaw); }
  void seen_change(Lane& l);
  struct WarpOutcome {
    bool progress = false, rests = false;  // rests: all threads are done or at a barrier
    bool open = false;                     // some are at a choice, or wait
  };
  WarpOutcome run_warp(Block& b, unsigned warp);
  unsigned step_together(std::span<Lane*> lanes);
  bool meet(Block& b, unsigned warp, std::span<Lane*> lanes);
  void perform(Block& b, unsigned warp, std::span<Lane*> group, std::span<Lane*> lanes);
  void report_stuck(Lane& stuck, uint32_t missing, std::span<Lane*> lanes);
  void check_masks(std::span<Lane*> group, uint32_t here, std::span<Lane*> lanes);
  bool went_past(const Lane& l, uint32_t site) const;
  void check_gone(Lane& leader, uint32_t gone, std::span<Lane*> lanes);
  void check_round(const NamedBarrier& n, uint32_t site);
  void note_ways(std::span<Lane*> group, uint32_t here, std::span<Lane*> lanes);
  bool release_barrier(Block& b);
  void release_named(Block& b, NamedBarrier& n);
  bool end_stuck(Block& b);
  void resume(Lane& l);
  bool stop(Stop s, uint32_t site);
  [[noreturn]] void kill(Lane& l);
  void flush();
  bool log(uint32_t site, Kind kind, uint64_t offset, const Space* s, unsigned bytes);
  void show(What what, uint64_t offset);
  enum class Mute : uint8_t { unknown, no, yes };
  bool muted(uint32_t site, std::vector<Site>& known);
  Mute meet_site(uint32_t site, std::vector<Site>& known);
  unsigned order(unsigned k, unsigned n, unsigned salt) const;
  void flaw(Flaw f, Space* s = nullptr);  // records a flaw of lane_'s block

  Options options_;
  bool logging_;
  Launch launch_;
  MakeExecution make_ = nullptr;
  void* argument_ = nullptr;
  Lane* lane_ = nullptr;
  std::vector<std::unique_ptr<Block>>
      blocks_;  // cooperative: all blocks; else those that have begun
  std::unique_ptr<Block> spare_;
  bool choosing_ = false;  // threads stop before strong accesses
  Habits habits_;
  Actor last_;
  std::vector<Actor> actors_;
  std::vector<uint32_t> choices_;
  bool unwritten_is_expected_ = false;
  uint32_t used_bytes_ = ~0u;
  uint64_t spent_ = 0;     // events of the launch so far
  uint64_t limit_;         // the most of them
  bool given_up_ = false;  // there were more; what follows is no flaw of the kernel
  uint64_t changes_ = 0;   // changes that waiting threads have seen
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<Space*> spaces_;
  std::size_t memory_used_ = 0;
  std::vector<Pointer<unsigned>> tickets_;
  Sites sites_;
  std::function<bool(uint32_t, uint32_t)> leads_;
  WarpLog log_;
  Counting counting_;
  Races races_;
  uint64_t random_;
  Draws draws_;
  std::vector<Flaw> flaws_;
  std::map<std::tuple<FlawKind, Site, Site>, std::size_t> flaw_numbers_;
  std::vector<Site> sync_sites_, inside_sites_;
  std::vector<Mute> mutes_;  // by the number of the source location
};

}  // namespace onefold::sim
