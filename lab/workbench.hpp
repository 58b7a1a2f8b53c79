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

namespace onefold::lab {

using Bytes = std::vector<std::byte>;
using Input = std::shared_ptr<const Bytes>;

// Random bytes, the same for a seed and a length.
Input random_bytes(std::size_t bytes, uint64_t seed);

// Element i of bytes.
template <class T>
T element(std::span<const std::byte> bytes, std::size_t i) {
  T v;
  std::memcpy(&v, bytes.data() + i * sizeof(T), sizeof v);
  return v;
}

// One launch.
struct Job {
  ExperimentKernel kernel;
  unsigned grid = 1, block = 32;
  Sizes sizes{};
  Input x{};
  std::size_t y_bytes = 0;
  sim::Chip chip = sim::sm_90;  // of the simulated machine
  bool warm = false;            // a GPU times it again and again on the same data
  bool texture = false;         // sizes[2] is to be a texture object over x, of words
  int replays = 9;
};

struct Ran {
  std::span<const std::byte> y{};   // until the next run
  std::optional<double> ms{};       // on a GPU
  sim::Report report{};             // on the simulated machine
  std::vector<Compared> profile{};  // its counters beside a profiler's
  // Of the machine code for a GPU: instructions, with what fills its last line; registers a thread;
  // bytes of registers that went to memory.
  int instructions = 0, registers = 0, spilled = 0;
};

using Param = std::variant<int64_t, std::string>;

// A figure of a point; what was predicted for it, if anything was.
struct Figure {
  std::string name;
  double found = 0;
  std::optional<double> predicted{};
};

// A row of an experiment.
struct Point {
  std::string name{};
  About about{};
  std::vector<std::pair<std::string, Param>> params{};
  unsigned grid = 0, block = 0;
  bool correct = true;  // outputs as they should be; counts as predicted
  std::optional<double> ms{}, gbps{};
  std::vector<Figure> figures{};
  std::optional<sim::Report> report{};  // of the simulated machine
  std::vector<Compared> profile{};      // with --counters
};

// A point to be measured.
struct Case {
  Job job;
  std::vector<std::pair<std::string, Param>> params{};
  std::function<bool(std::span<const std::byte> y)> right{};  // looks at all of the output
  std::function<void(Point& point, const Ran& ran)> note{};   // puts figures down
};

// GB/s, read and written, of a plain copy.
struct CopyRates {
  double kernel = 0;  // 16 bytes a thread
  double driver = 0;  // cuMemcpyDtoDAsync
  double best() const { return std::max(kernel, driver); }
};

// Where points run.
class Workbench {
 public:
  virtual ~Workbench() = default;
  // Counts answer, not times; sizes are small.
  virtual bool simulated() const = 0;
  virtual std::string chip() const = 0;
  // Looks at outputs only, and puts no figures down.
  virtual bool bare() const { return false; }
  // In the order of `cases`; on the simulated machine several at once.
  std::vector<Point> measure(std::vector<Case> cases);
  std::size_t launched() const { return launched_; }  // cases measured so far

  // Of a GPU; 0 where it is simulated.
  virtual double clock_ghz() { return 0; }
  virtual int multiprocessors() const { return 0; }
  virtual std::size_t l2_bytes() const { return 0; }
  // Of so many bytes, out of the caches.
  virtual CopyRates copy_gbps(std::size_t) { return {}; }

 protected:
  using Use = std::function<void(std::size_t k, const Ran& ran)>;
  virtual void run(std::span<const Case> cases, const Use& use) = 0;

 private:
  std::size_t launched_ = 0;
};

// `launches`: what a profiler found for the cases, in order.
std::unique_ptr<Workbench> simulated_workbench(const sim::Chip& chip, int threads,
                                               std::vector<Figures> launches = {});
// Throws CudaError; std::runtime_error with NVRTC's words if a text does not compile.
std::unique_ptr<Workbench> gpu_workbench(int threads);
// Launches the cases of the simulated machine on a GPU, each once, for a profiler to see. Their
// kernels are called `point`.
std::unique_ptr<Workbench> bare_workbench(int threads);

// The source that NVRTC gets for a kernel: the includes, and a kernel of one line.
std::string gpu_source(const ExperimentKernel& kernel, unsigned block);

}  // namespace onefold::lab
