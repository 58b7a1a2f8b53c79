// The other kinds of memory: constants, read-only loads and textures, registers, shuffles and
// shared memory. This needs a GPU.
#include <algorithm>

#include "lab/experiment.hpp"
#include "lab/rung/spaces.hpp"

namespace onefold::lab {
namespace {

class Cases {
 public:
  Cases(Workbench& bench, uint64_t seed)
      : ghz_(bench.clock_ghz()),
        processors_(static_cast<unsigned>(bench.multiprocessors())),
        lanes_(random_bytes(128, seed)) {}

  // Records the cycles that a multiprocessor takes for one step of a warp.
  static void put_cycles(Case& c, Size times, double ghz, unsigned processors) {
    const double all = double(times) * c.job.grid * c.job.block / 32;
    c.note = [=](Point& p, const Ran& ran) {
      p.figures = {{"cycles_per_warp", *ran.ms * 1e6 * ghz * processors / all, {}}};
    };
  }

  void add_constant(unsigned different) {
    constexpr Size times = 4096;
    Case c = case_of(gpu_kernel_of<spaces::constant>(), {{"different", int64_t{different}}},
                     processors_ * 4, 256, {{different, 0, 0, 0, times, 0}});
    c.right = every_lane([=](unsigned lane) {
      return spaces::constant_table.v[lane % different] * static_cast<uint32_t>(times);
    });
    put_cycles(c, times, ghz_, processors_);
    c.note = [=, cycles = c.note, uniform = uniform_](Point& p, const Ran& ran) {
      cycles(p, ran);
      if (different == 1) *uniform = p.figures[0].found;
      p.figures.push_back({"of_uniform", p.figures[0].found / *uniform, double(different)});
    };
    all_.push_back(std::move(c));
  }

  template <spaces::By by>
  void add_exchange(const char* name) {
    constexpr Size times = 4096;
    Case c = case_of(gpu_kernel_of<spaces::exchange<by>>(), {{"by", std::string(name)}},
                     processors_ * 2, 1024, {{times}});
    uint32_t v[32], was[32];
    for (unsigned lane = 0; lane < 32; ++lane) v[lane] = element<uint32_t>(*lanes_, lane);
    for (Size k = 0; k < times; ++k) {
      std::copy(std::begin(v), std::end(v), was);
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (by == spaces::By::its_own) {
          v[lane] += v[lane] ^ (v[lane] >> 1);
        } else {
          v[lane] += was[lane ^ 1];
          v[lane] ^= v[lane] >> 1;
        }
      }
    }
    const std::vector<uint32_t> want(std::begin(v), std::end(v));
    c.right = every_lane([=](unsigned lane) { return want[lane]; });
    put_cycles(c, times, ghz_, processors_);
    all_.push_back(std::move(c));
  }

  template <spaces::Load load>
  void add_loads(const char* name, const Input& x, unsigned stride, unsigned offset) {
    const unsigned n = 1u << 21;
    Case c = case_of(
        gpu_kernel_of<spaces::read_only<load>>(),
        {{"by", std::string(name)}, {"stride", int64_t{stride}}, {"offset", int64_t{offset}}},
        n / 256, 256, {{stride, offset}});
    c.job.x = x;
    c.job.texture = load == spaces::Load::texture;
    c.right = [=](std::span<const std::byte> y) {
      return all_right(n, [&](std::size_t i) {
        return element<uint32_t>(y, i) == element<uint32_t>(*x, i * stride + offset);
      });
    };
    c.note = [=](Point& p, const Ran& ran) { p.gbps = double(n) * 8 / (*ran.ms * 1e6); };
    all_.push_back(std::move(c));
  }

  // Runs 2^18 threads, in blocks of 256 or of 1024.
  void add_spilling(unsigned block) {
    constexpr Size times = 64;
    constexpr unsigned numbers = 96;
    Case c = case_of(gpu_kernel_of<spaces::spilling>(), {{"block", int64_t{block}}},
                     (1u << 18) / block, block, {{times, 3}});
    std::vector<uint32_t> want(32);
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint32_t n[numbers];
      for (unsigned k = 0; k < numbers; ++k) n[k] = element<uint32_t>(*lanes_, lane) + k;
      for (Size r = 0; r < times; ++r) {
        for (unsigned k = 0; k < numbers; ++k) n[k] = n[k] * 3 + n[(k + 1) % numbers];
      }
      for (unsigned k = 0; k < numbers; ++k) want[lane] += n[k] ^ k;
    }
    c.right = every_lane([=](unsigned lane) { return want[lane]; });
    c.note = [](Point& p, const Ran& ran) {
      p.figures = {{"registers", double(ran.registers), {}},
                   {"spilled_bytes", double(ran.spilled), {}}};
    };
    all_.push_back(std::move(c));
  }

  std::vector<Case> take() { return std::move(all_); }

 private:
  Case case_of(ExperimentKernel kernel, Params params, unsigned grid, unsigned block,
               Sizes sizes) const {
    return warm_case(kernel, std::move(params), grid, block, sizes, lanes_,
                     std::size_t{grid} * block * 4);
  }
  template <class F>
  static std::function<bool(std::span<const std::byte>)> every_lane(F want) {
    return [=](std::span<const std::byte> y) {
      return all_right(y.size() / 4, [&](std::size_t i) {
        return element<uint32_t>(y, i) == want(static_cast<unsigned>(i % 32));
      });
    };
  }

  double ghz_;
  unsigned processors_;
  Input lanes_;
  std::shared_ptr<double> uniform_ = std::make_shared<double>(1);
  std::vector<Case> all_;
};

Findings run(Workbench& bench, const ExperimentOptions& options) {
  Cases c(bench, seed_of(options));
  for (unsigned different = 1; different <= 32; different *= 2) c.add_constant(different);
  c.add_exchange<spaces::By::its_own>("its own register");
  c.add_exchange<spaces::By::shuffle>("shuffle");
  c.add_exchange<spaces::By::shared_memory>("shared memory");
  const Input x = random_bytes((std::size_t{1} << 21) * 32 * 4 + 64, seed_of(options));
  for (const auto& [stride, offset] :
       {std::pair{1u, 0u}, {1u, 1u}, {1u, 7u}, {2u, 0u}, {8u, 0u}, {32u, 0u}}) {
    c.add_loads<spaces::Load::plain>("plain load", x, stride, offset);
    c.add_loads<spaces::Load::read_only>("read-only load", x, stride, offset);
    c.add_loads<spaces::Load::texture>("texture", x, stride, offset);
  }
  c.add_spilling(256);
  c.add_spilling(1024);
  return {.points = bench.measure(c.take()),
          .remarks = {"a texture can also interpolate between elements and handle positions past "
                      "the edge in one load; a reduction does not need that"}};
}

}  // namespace

const Experiment spaces_experiment{
    .name = "spaces",
    .idea = "constants, textures, registers, shuffles and shared memory; registers that spill",
    .question = "Which kind of memory suits which use?",
    .prediction =
        "constants: one access for each different word that a warp reads; read-only loads and "
        "textures: like plain loads, because they share a cache; 96 numbers need 96 registers, and "
        "a block of 1024 has 64",
    .lesson =
        "Constants for what all lanes read alike, shuffles within a warp, shared memory between "
        "warps; and keep what a thread needs within its registers.",
    .only_time = true,
    .run = run};

}  // namespace onefold::lab
