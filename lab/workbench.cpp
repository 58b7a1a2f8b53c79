#include "lab/workbench.hpp"

#include "onefold/machine/sim.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::lab {
namespace {

class Simulated final : public Workbench {
 public:
  Simulated(const sim::Chip& chip, int threads, std::vector<Figures> launches)
      : chip_(chip), threads_(threads), launches_(std::move(launches)) {}
  bool simulated() const override { return true; }
  std::string chip() const override { return std::string(chip_.name); }

 protected:
  void run(std::span<const Case> cases, const Use& use) override {
    parallel(cases.size(), threads_, [&](std::size_t k) {
      const Job& job = cases[k].job;
      // Runs lane after lane, since all schedules have the same counters and find the same races.
      sim::Engine gpu({.chip = job.chip, .schedule = 1});
      const std::size_t x_bytes = job.x ? job.x->size() : 0;
      const auto allocate = [&](const char* name, std::size_t bytes, std::size_t size,
                                const std::byte* contents) {
        return &gpu.allocate(name, bytes / size * size, static_cast<unsigned>(size), contents);
      };
      sim::Space* x = allocate("x", x_bytes, job.kernel.x_size, job.x ? job.x->data() : nullptr);
      sim::Space* y = allocate("y", job.y_bytes, job.kernel.y_size, nullptr);
      sim::launch(gpu, {.grid = job.grid, .block = job.block},
                  [&] { job.kernel.simulated(x, y, job.sizes); });
      Ran ran{.y = {y->base, y->bytes}, .report = gpu.report()};
      if (launched() + k < launches_.size()) {
        ran.profile = compare(ran.report.counters, std::span(launches_).subspan(launched() + k, 1));
      }
      use(k, ran);
    });
  }

 private:
  sim::Chip chip_;
  int threads_;
  std::vector<Figures> launches_;
};

}  // namespace

Input random_bytes(std::size_t bytes, uint64_t seed) {
  Bytes v(bytes);
  constexpr std::size_t piece = std::size_t{1} << 20;
  parallel((bytes + piece - 1) / piece, 0, [&](std::size_t p) {
    uint64_t s = (seed * 0x9e3779b97f4a7c15u + p + 1) * 0xbf58476d1ce4e5b9u | 1;
    for (std::size_t i = p * piece; i < std::min(bytes, (p + 1) * piece); i += sizeof s) {
      s ^= s << 13, s ^= s >> 7, s ^= s << 17;
      std::memcpy(v.data() + i, &s, std::min(sizeof s, bytes - i));
    }
  });
  return std::make_shared<const Bytes>(std::move(v));
}

std::vector<Point> Workbench::measure(std::vector<Case> cases) {
  std::vector<Point> points(cases.size());
  run(cases, [&](std::size_t k, const Ran& ran) {
    const Case& c = cases[k];
    Point& p = points[k];
    p = {.name = std::string(c.job.kernel.name()),
         .about = c.job.kernel.about,
         .params = c.params,
         .grid = c.job.grid,
         .block = c.job.block,
         .correct = !c.right || c.right(ran.y),
         .ms = ran.ms,
         .profile = ran.profile};
    if (bare()) return;
    if (c.note) c.note(p, ran);
    if (!simulated()) return;
    p.report = ran.report;
    for (const Figure& f : p.figures) {
      p.correct = p.correct && (!f.predicted || *f.predicted == f.found);
    }
    p.correct = p.correct && ran.report.flaws.empty();
  });
  launched_ += cases.size();
  return points;
}

std::unique_ptr<Workbench> simulated_workbench(const sim::Chip& chip, int threads,
                                               std::vector<Figures> launches) {
  return std::make_unique<Simulated>(chip, threads, std::move(launches));
}

}  // namespace onefold::lab
