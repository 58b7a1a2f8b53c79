// Runs the points of an experiment, on the simulated machine or on a GPU.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "lab/counters.hpp"
#include "lab/kernel.hpp"
#include "onefold/machine/sim/chip.hpp"
#include "onefold/machine/sim/report.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::lab {

using Bytes = std::vector<std::byte>;
using Input = std::shared_ptr<const Bytes>;

// Returns random bytes, which depend only on the seed and the length.
Input random_bytes(std::size_t bytes, uint64_t seed);

// Returns element i of some bytes.
template <class T>
T element(std::span<const std::byte> bytes, std::size_t i) {
  T v;
  std::memcpy(&v, bytes.data() + i * sizeof(T), sizeof v);
  return v;
}

// One launch of a kernel.
struct Job {
  ExperimentKernel kernel;
  unsigned grid = 1, block = 32;
  Sizes sizes{};
  Input x{};
  std::size_t y_bytes = 0;
  sim::Chip chip = sim::sm_90;  // if simulated: its rules
  bool warm = false;            // a GPU times it repeatedly on the same data
  bool texture = false;         // sizes[2] becomes a texture object over the words of x
  int replays = 9;
};

struct Ran {
  std::span<const std::byte> y{};   // valid until the next run
  std::optional<double> ms{};       // on a GPU
  sim::Report report{};             // on the simulated machine
  std::vector<Compared> profile{};  // counters, compared with a profiler's
  // The machine code for a GPU: instructions, with padding to its last line; registers of a thread;
  // bytes of registers that are spilled to memory.
  int instructions = 0, registers = 0, spilled = 0;
};

using Param = std::variant<int64_t, std::string>;
using Params = std::vector<std::pair<std::string, Param>>;

// A figure of a point, and its prediction if there is one.
struct Figure {
  std::string name;
  double found = 0;
  std::optional<double> predicted{};
};

// A row in an experiment's results.
struct Point {
  std::string name{};
  About about{};
  Params params{};
  unsigned grid = 0, block = 0;
  bool correct = true;  // outputs are right, and counts are as predicted
  std::optional<double> ms{}, gbps{};
  std::vector<Figure> figures{};
  std::optional<sim::Report> report{};  // of the simulated machine
  std::vector<Compared> profile{};      // with --counters
};

// How a counter agrees with its predictions, over the points of an experiment.
struct Agreement {
  const Metric* metric = nullptr;
  std::size_t points = 0;  // points at which one of the two is not 0
  std::size_t equal = 0;
  std::size_t near = 0;  // within 5 %
  const Point* furthest = nullptr;
  Compared there{};  // the metric's two values at `furthest`
};

// Compares all metrics that were both predicted and measured at some point.
std::vector<Agreement> agreements(std::span<const Point> points);

// A point, with how to measure it.
struct Case {
  Job job;
  Params params{};
  std::function<bool(std::span<const std::byte> y)> right{};  // checks the whole output
  std::function<void(Point& point, const Ran& ran)> note{};   // records figures
};

// Returns a case on warm data, without checks and figures.
inline Case warm_case(ExperimentKernel kernel, Params params, unsigned grid, unsigned block,
                      Sizes sizes, Input x, std::size_t y_bytes) {
  return {.job = {.kernel = kernel,
                  .grid = grid,
                  .block = block,
                  .sizes = sizes,
                  .x = std::move(x),
                  .y_bytes = y_bytes,
                  .warm = true},
          .params = std::move(params)};
}
// Returns a case whose data do not stay in the caches.
inline Case cold_case(ExperimentKernel kernel, Params params, unsigned grid, unsigned block,
                      Sizes sizes, Input x, std::size_t y_bytes) {
  Case c = warm_case(kernel, std::move(params), grid, block, sizes, std::move(x), y_bytes);
  c.job.warm = false;
  return c;
}

// Returns whether right(i) holds for every i below n; threads look at `piece` of them each.
template <class F>
bool all_right(std::size_t n, F right, std::size_t piece = 65536) {
  std::vector<char> of_piece((n + piece - 1) / piece);
  parallel(of_piece.size(), 0, [&](std::size_t k) {
    bool all = true;
    for (std::size_t i = k * piece; i < std::min(n, (k + 1) * piece); ++i) all = all && right(i);
    of_piece[k] = all;
  });
  return std::find(of_piece.begin(), of_piece.end(), 0) == of_piece.end();
}

// GB/s, read plus written, of a plain copy.
struct CopyRates {
  double kernel = 0;  // 16 bytes a thread
  double driver = 0;  // cuMemcpyDtoDAsync
  double best() const { return std::max(kernel, driver); }
};

// Runs points on a machine.
class Workbench {
 public:
  virtual ~Workbench() = default;
  // Returns true if it counts and takes no times, so that sizes must be small.
  virtual bool simulated() const = 0;
  virtual std::string chip() const = 0;
  // Returns true if it only checks outputs, and records no figures.
  virtual bool bare() const { return false; }
  // Runs cases, with results in their order; the simulated machine runs several at once.
  std::vector<Point> measure(std::vector<Case> cases);
  std::size_t launched() const { return launched_; }  // number of cases so far

  // For a GPU; 0 if simulated.
  virtual double clock_ghz() { return 0; }
  virtual int multiprocessors() const { return 0; }
  virtual std::size_t l2_bytes() const { return 0; }
  // The rates of copying so many bytes, which are not in caches.
  virtual CopyRates copy_gbps(std::size_t) { return {}; }

 protected:
  using Use = std::function<void(std::size_t k, const Ran& ran)>;
  virtual void run(std::span<const Case> cases, const Use& use) = 0;

 private:
  std::size_t launched_ = 0;
};

// `launches`: a profiler's figures for the cases, in order.
std::unique_ptr<Workbench> simulated_workbench(const sim::Chip& chip, int threads,
                                               std::vector<Figures> launches = {});
// Throws CudaError; std::runtime_error with NVRTC's message if a kernel does not compile.
std::unique_ptr<Workbench> gpu_workbench(int threads);
// Launches the simulated machine's cases on a GPU, each once, for a profiler. Their kernels are
// called `point`.
std::unique_ptr<Workbench> bare_workbench(int threads);

// Returns the source that NVRTC compiles for a kernel: includes, and a kernel of one line.
std::string gpu_source(const ExperimentKernel& kernel, unsigned block);

}  // namespace onefold::lab
