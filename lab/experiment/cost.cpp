// The cost model of tutorial 002: steps, work and cost of reductions, and the bytes that its two
// schemes move.
#include <fmt/format.h>

#include <bit>

#include "lab/experiment.hpp"
#include "lab/experiment/option.hpp"
#include "lab/gpu.hpp"
#include "lab/ladder.hpp"
#include "lab/simulate.hpp"

namespace onefold::lab {
namespace {

constexpr unsigned block = 256;

// Runs rungs of the ladder and adds points to the workbench.
class Bench {
 public:
  Bench(const Workbench& bench, const ExperimentOptions& options)
      : chip_(chip_of(options)), seed_(seed_of(options)) {
    if (!bench.simulated()) gpu_.emplace();
  }

  Outcome run(const Entry& rung, Size n, Size grid) {
    Setting s;
    s.n = n;
    s.block = block;
    s.grid = grid;
    s.chip = chip_;
    s.seed = seed_;
    s.schedules = 1;
    if (x_.size() != n) {
      x_ = elements(n, seed_);
      if (gpu_) gpu_->take_input(x_, s);
    }
    if (!gpu_ || !rung.has_kernel()) return *simulate(rung, false, s, x_);
    const Timed t = *gpu_->run(rung, false, s);
    Outcome out = t.outcome;
    out.ms = t.ms;
    out.gbps = t.gbps;
    return out;
  }

 private:
  sim::Chip chip_;
  uint64_t seed_;
  std::optional<GpuMachine> gpu_{};
  std::vector<int32_t> x_{};
};

Point point_of(const Entry& rung, const Outcome& o, bool simulated) {
  const Rung& r = rung.about;
  Point p;
  p.name = rung.name;
  p.about = {.title = r.title,
             .idea = r.idea,
             .source = r.source,
             .published = {r.published[0], r.published[1]}};
  p.grid = static_cast<unsigned>(o.grid);
  p.block = o.block;
  p.correct = o.correct;
  p.ms = o.ms;
  if (o.ms) p.gbps = o.gbps;
  if (simulated && rung.has_kernel()) p.report = o.report;
  return p;
}

// Records a figure; if it is counted and not timed, it must equal the prediction.
void put(Point& p, const char* name, double found, double predicted) {
  p.figures.push_back({name, found, predicted});
  p.correct = p.correct && found == predicted;
}

// Numbers of elements read and written, and of launches.
struct Moved {
  double reads = 0, writes = 0, launches = 0;
};

// Every addition reads two elements and writes one, at log2 n levels.
Moved of_naive(Size n) {
  return {2.0 * double(n - 1), double(n - 1), double(std::bit_width(n - 1))};
}

// Each launch reads the remaining elements and writes one for every m.
Moved of_blocks(Size n, Size m) {
  Moved v;
  while (n > 1) {
    v.reads += double(n);
    n = (n + m - 1) / m;
    v.writes += double(n);
    v.launches += 1;
  }
  return v;
}

void add_scheme(Findings& found, Bench& bench, const char* rung, Size n, const Moved& moved,
                bool simulated) {
  const Entry& e = *find_rung(reduce_ladder(), rung);
  const Outcome o = bench.run(e, n, 1);
  Point p = point_of(e, o, simulated);
  p.params = {{"n", static_cast<int64_t>(n)}};
  put(p, "launches", double(o.launches), moved.launches);
  if (simulated) {
    put(p, "reads", double(o.report.counters.global_load.bytes) / 4, moved.reads);
    put(p, "writes", double(o.report.counters.global_store.bytes) / 4, moved.writes);
  }
  found.points.push_back(std::move(p));
}

// A fold by `threads` threads: each adds its own elements one by one, and a tree of log2(threads)
// levels adds their sums.
void add_fold(Findings& found, Bench& bench, const char* rung, Size n, Size grid, Size threads,
              bool simulated) {
  const Entry& e = *find_rung(reduce_ladder(), rung);
  const Outcome o = bench.run(e, n, grid);
  Point p = point_of(e, o, simulated);
  const double steps = double(n) / double(threads) + double(std::bit_width(threads) - 1);
  p.params = {{"n", static_cast<int64_t>(n)},
              {"elements_a_thread", static_cast<int64_t>(n / threads)}};
  p.figures = {{"steps", steps, {}}, {"cost_over_n", steps * double(threads) / double(n), {}}};
  if (simulated && e.has_kernel()) {
    // A warp instruction takes 32 processors, whether their lanes work or not.
    const double slots = double(o.report.counters.warp_instructions) * 32;
    p.figures.push_back({"counted_over_n", slots / double(n), {}});
  }
  found.points.push_back(std::move(p));
}

std::string best_of(const std::vector<Point>& points, Size n) {
  const Point* best = nullptr;
  for (const Point& p : points) {
    const bool counts = p.name == "many_elements_a_thread" && p.ms &&
                        p.params[0].second == Param{static_cast<int64_t>(n)};
    if (counts && (best == nullptr || *p.ms < *best->ms)) best = &p;
  }
  if (best == nullptr) return "";
  return fmt::format(
      "of {} elements the best are {} a thread: fewer cost threads, tree and launches, more leave "
      "too few threads to keep memory busy",
      n, std::get<int64_t>(best->params[1].second));
}

Findings run(Workbench& workbench, const ExperimentOptions& options) {
  const bool simulated = workbench.simulated();
  Size n = simulated ? Size{1} << 14 : Size{1} << 24;
  if (const auto at = options.find("n"); at != options.end()) {
    n = number("n", at->second, 1024, Size{1} << (simulated ? 20 : 28));
    if (!std::has_single_bit(n)) refuse("n", at->second, "write a power of two such as 2^14");
  }
  Bench bench(workbench, options);
  Findings found;
  for (const Size m : {n / 16, n}) {
    add_scheme(found, bench, "naive", m, of_naive(m), simulated);
  }
  for (const Size m : {n / 16, n}) {
    add_scheme(found, bench, "m_elements_a_block", m, of_blocks(m, block), simulated);
  }
  add_fold(found, bench, "cpu_loop", n, 1, 1, simulated);
  add_fold(found, bench, "sequential", n, 1, n, simulated);
  for (Size threads = n / 2; threads >= block; threads /= 2) {
    add_fold(found, bench, "many_elements_a_thread", n, threads / block, threads, simulated);
  }
  if (std::string best = best_of(found.points, n); !best.empty()) {
    found.remarks.push_back(std::move(best));
  }
  return found;
}

}  // namespace

const Experiment cost_experiment{
    .name = "cost",
    .idea = "the cost model: steps, work and cost of sequential, tree and cascaded folds",
    .question = "How many threads should fold n elements, and what do they move?",
    .prediction =
        "p threads take n / p + log2 p steps. The cost is p times that: n log n for p = n, O(n) "
        "for p = n / log n. The naive scheme moves 3 n elements in log2 n launches; blocks of m "
        "elements move n + 2 n / m elements in log_m n launches",
    .lesson =
        "Give each thread log n elements or more before the tree begins: the cost falls to O(n), "
        "as long as enough threads are left to keep memory busy.",
    .options = "n",
    .run = run};

}  // namespace onefold::lab
