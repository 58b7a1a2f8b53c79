#include "lab/time_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "lab/simulate.hpp"

namespace onefold::lab {
namespace {

constexpr Size counted_n = Size{1} << 17;

// Records what thread 0 of block 0 does in the first launch.
class Path final : public sim::Observer {
 public:
  explicit Path(Work& w) : w_(w) {}

  void launch(unsigned, unsigned) override { ++launches_; }
  void block(unsigned) override {}
  void event(unsigned block, unsigned thread, const sim::Event& e, sim::Space* space,
             sim::Site) override {
    if (launches_ != 1 || block != 0) return;
    const bool load = e.kind == sim::Kind::load && !space->shared;
    const bool fresh = load && touched_.insert({space, e.offset / 32}).second;
    if (thread != 0) return;
    if (load) {
      in_burst_ = true;
      fresh_ = fresh_ || fresh;
    } else if (e.kind == sim::Kind::branch) {
      if (e.place <= last_branch_) end_burst();  // the loop's next turn
      last_branch_ = e.place;
    } else {
      end_burst();
      if (e.kind == sim::Kind::atomic) ++w_.atomics;
    }
  }
  void pause(unsigned, unsigned) override {}
  void meet(unsigned block, unsigned warp, std::span<const sim::Exchange* const, 32>,
            sim::Site) override {
    if (launches_ == 1 && block == 0 && warp == 0) end_burst();
  }
  void barrier(unsigned block, std::span<const unsigned>, sim::Site) override {
    if (launches_ != 1 || block != 0) return;
    end_burst();
    ++w_.barriers;
  }
  void grid_barrier() override { end_burst(); }
  void landed(unsigned, const sim::Bulk&) override {}
  void flaw(const sim::Flaw&, sim::Space*) override {}

  void end_burst() {
    if (in_burst_) ++(fresh_ ? w_.bursts : w_.again);
    in_burst_ = fresh_ = false;
  }

 private:
  Work& w_;
  unsigned launches_ = 0;
  bool in_burst_ = false, fresh_ = false;
  uint32_t last_branch_ = 0;
  std::set<std::pair<const sim::Space*, uint64_t>> touched_;
};

}  // namespace

Work work_of(const Entry& rung, Size n, unsigned block, Size grid) {
  Work w;
  const Plan whole = plan(rung, false, n, block, grid);
  const Size blocks = whole.steps.empty() ? 1 : whole.steps[0].grid;
  const Size small = std::min(n, std::max(counted_n, n / blocks));  // a block of the whole at least
  const double times = static_cast<double>(n) / static_cast<double>(std::max<Size>(small, 1));
  Path path(w);
  const Setting s{.n = small,
                  .block = block,
                  .grid = static_cast<Size>(std::llround(static_cast<double>(grid) / times)),
                  .only_schedule = 1,
                  .observer = &path};
  const sim::Counters c = simulate(rung, false, s, elements(small, 1)).value().report.counters;
  path.end_burst();
  w.launches = static_cast<double>(whole.steps.size());
  w.blocks = static_cast<double>(blocks);
  w.threads = block;
  w.divisions = rung.about.divisions * std::log2(block);
  w.instructions = times * static_cast<double>(c.warp_instructions);
  w.wavefronts = times * static_cast<double>(c.shared_load.count + c.shared_store.count);
  w.moved = times * static_cast<double>(c.global_load.moved + c.global_store.moved);
  w.bytes = 4.0 * static_cast<double>(n);
  return w;
}

std::string_view name_of(Part p) {
  constexpr std::string_view names[] = {"launches",     "memory", "latency", "caches", "barriers",
                                        "instructions", "banks",  "sectors", "blocks"};
  return names[static_cast<int>(p)];
}

std::string_view sentence_of(Part p) {
  constexpr std::string_view sentences[] = {
      "Starting launches, one after another.",
      "The bandwidth of the memory itself.",
      "Waiting for global memory: too few bytes are in flight.",
      "Partial sums go through global memory and its caches at every level.",
      "The block waits for its last warp at each barrier.",
      "Instructions: tests, loops and indices around the additions.",
      "Shared memory: wavefronts, one after another.",
      "Sectors: more of them move than the requested bytes need.",
      "Blocks start and end, and do little in between."};
  return sentences[static_cast<int>(p)];
}

const ChipTimes h200_times{.multiprocessors = 132,
                           .threads_held = 2048,
                           .blocks_held = 32,
                           .clock = 1980,
                           .launch = 3.0,
                           .begins = 0.313,
                           .load = 0.429,
                           .cached = 0.045,
                           .atomic = 0.43,
                           .barrier = 0.043,
                           .division = 0.177,
                           .instruction = 0.125,
                           .wavefront = 1.08,
                           .memory = 4.62e6,
                           .caches = 7.38e6};
// The blocks of a multiprocessor hide each other's waits, so a block's waits count once for each
// wave of blocks. The work of the chip's units is added up separately. If both are large, they
// overlap almost fully (a 3-norm, which is between their sum and the larger one). No time is below
// that of memory.
TimeParts time_of(const Work& w, const ChipTimes& chip) {
  const double held = std::min(chip.threads_held / w.threads, chip.blocks_held);
  const double waves = std::max(1.0, w.blocks / held / chip.multiprocessors);
  TimeParts waits, units, time;
  const auto at = [](TimeParts& t, Part p) -> double& { return t.us[static_cast<std::size_t>(p)]; };
  at(waits, Part::blocks) = waves * chip.begins;
  at(waits, Part::latency) = waves * chip.load * w.bursts;
  at(waits, Part::caches) = waves * (chip.cached * w.again + chip.atomic * w.atomics);
  at(waits, Part::barriers) = waves * chip.barrier * w.barriers;
  at(waits, Part::instructions) = waves * chip.division * w.divisions;
  at(units, Part::instructions) =
      chip.instruction * w.instructions / chip.multiprocessors / chip.clock;
  at(units, Part::banks) = chip.wavefront * w.wavefronts / chip.multiprocessors / chip.clock;
  at(units, Part::sectors) = w.moved / chip.caches;
  const double wait = waits.sum(), unit = units.sum(), read = w.bytes / chip.memory;
  const double busy = std::cbrt(std::pow(wait, 3) + std::pow(unit, 3));
  if (read >= busy) {
    at(time, Part::memory) = read;
  } else {
    // Each part is weighted by its effect on the total time.
    for (std::size_t k = 0; k < part_count; ++k) {
      time.us[k] = (waits.us[k] * wait * wait + units.us[k] * unit * unit) / (busy * busy);
    }
  }
  at(time, Part::launches) = chip.launch * w.launches;
  return time;
}

double TimeParts::sum() const {
  double s = 0;
  for (const double v : us) s += v;
  return s;
}
Part TimeParts::limit() const {
  return static_cast<Part>(std::max_element(us.begin(), us.end()) - us.begin());
}

}  // namespace onefold::lab
