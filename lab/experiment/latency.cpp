// Latencies, and how warps and loads in flight hide them. This needs a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/experiment.hpp"
#include "lab/rung/latency.hpp"

namespace onefold::lab {
namespace {

constexpr std::size_t line = 32;  // number of words

// A random permutation of 0 to n - 1 that is one cycle (Sattolo's algorithm).
std::vector<uint32_t> shuffled(std::size_t n, uint64_t seed) {
  std::vector<uint32_t> place(n);
  std::iota(place.begin(), place.end(), 0u);
  uint64_t s = seed * 2 + 1;
  for (std::size_t k = place.size() - 1; k > 0; --k) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    std::swap(place[k], place[s % k]);
  }
  return place;
}

// Makes a cycle through every `apart`-th word.
Input cycle(std::size_t words, std::size_t apart, uint64_t seed) {
  const std::vector<uint32_t> place = shuffled(words / apart, seed);
  auto bytes = std::make_shared<Bytes>(words * 4);
  auto* next = reinterpret_cast<uint32_t*>(bytes->data());
  for (std::size_t k = 0; k < place.size(); ++k) {
    next[k * apart] = static_cast<uint32_t>(place[k] * apart);
  }
  return bytes;
}

// Finds the clocks of a step from the kernel's own clock.
void note_clocks(Case& c, Size steps, double ghz, std::function<void(double)> keep = {}) {
  c.job.replays = 0;
  c.note = [=](Point& p, const Ran& ran) {
    const double cycles = double(element<uint64_t>(ran.y, 0)) / double(steps);
    p.figures = {{"cycles", cycles, {}}, {"ns", cycles / ghz, {}}};
    if (keep) keep(cycles);
  };
}

Case chase(const char* where, std::size_t bytes, Size before, Size steps, double ghz, uint64_t seed,
           std::function<void(double)> keep) {
  const Input x = cycle(bytes / 4, line, seed);  // each step reads another line of 128 bytes
  Case c = warm_case(gpu_kernel_of<latency::chase>(),
                     {{"where", std::string(where)}, {"KiB", static_cast<int64_t>(bytes >> 10)}}, 1,
                     1, {{steps, before}}, x, 16);
  c.right = [=](std::span<const std::byte> y) {
    uint64_t at = 0;
    for (Size k = 0; k < before + steps; ++k) at = element<uint32_t>(*x, at);
    return element<uint64_t>(y, 1) == at;
  };
  note_clocks(c, steps, ghz, std::move(keep));
  return c;
}

struct Latencies {
  double memory = 0, registers = 0;  // cycles
};

std::vector<Case> chains(double ghz, uint64_t seed, Latencies& found) {
  std::vector<Case> cases;
  const auto nothing = [](double) {};
  cases.push_back(chase("L1", 16 << 10, 4096, 4096, ghz, seed, nothing));
  cases.push_back(chase("L2", 8 << 20, 65536, 16384, ghz, seed, nothing));
  cases.push_back(chase("memory", std::size_t{512} << 20, 0, 16384, ghz, seed,
                        [&found](double cycles) { found.memory = cycles; }));
  const Input small = cycle(1024, 1, seed);
  Case shared = warm_case(gpu_kernel_of<latency::shared_chase>(), {}, 1, 1, {{8192}}, small, 16);
  shared.right = [=](std::span<const std::byte> y) {
    uint64_t at = 0;
    for (Size k = 0; k < 8192; ++k) at = element<uint32_t>(*small, at);
    return element<uint64_t>(y, 1) == at;
  };
  note_clocks(shared, 8192, ghz);
  cases.push_back(shared);
  const auto zeros = std::make_shared<const Bytes>(128);
  Case chain =
      warm_case(gpu_kernel_of<latency::registers>(), {}, 1, 32, {{512, 1}}, zeros, 32 * 16);
  chain.right = [](std::span<const std::byte> y) {
    for (std::size_t t = 0; t < 32; ++t) {
      if (element<uint64_t>(y, t * 2 + 1) != 512 * 16) return false;
    }
    return true;
  };
  note_clocks(chain, 512 * 16, ghz, [&found](double cycles) { found.registers = cycles; });
  cases.push_back(chain);
  return cases;
}

bool all_are(std::span<const std::byte> y, float v) {
  return all_right(y.size() / 4, [&](std::size_t i) { return element<float>(y, i) == v; });
}

// Calls f for 1 to 64 warps a multiprocessor: at most two blocks of up to 1024 threads.
template <class F>
void for_warps(F f) {
  for (unsigned w = 1; w <= 64; w *= 2) f(w, std::min(w, 32u) * 32, w == 64 ? 2u : 1u);
}

void add_hidden(std::vector<Case>& cases, unsigned processors, double ghz, double latency) {
  static constexpr Size rounds = 1024;
  const auto zeros = std::make_shared<const Bytes>(128);
  for_warps([&](unsigned warps, unsigned block, unsigned blocks) {
    const unsigned grid = processors * blocks;
    Case c = warm_case(gpu_kernel_of<latency::hidden>(), {{"warps", int64_t{warps}}}, grid, block,
                       {{rounds, 1}}, zeros, std::size_t{grid} * block * 4);
    c.right = [](std::span<const std::byte> y) { return all_are(y, float(rounds * 16)); };
    c.note = [=](Point& p, const Ran& ran) {
      const double all = double(grid) * block * rounds * 16;
      p.figures = {{"results_per_clock", all / (*ran.ms * 1e6 * ghz) / processors,
                    std::min(128.0, warps * 32 / latency)}};
    };
    cases.push_back(std::move(c));
  });
}

// One cycle through lines of memory. Every thread follows its own part of the cycle, and then three
// parts that other threads have read: a line is read again only after all others, when L2 no longer
// has it.
void add_hidden_loads(std::vector<Case>& cases, unsigned processors, double ghz, double latency,
                      double limit, uint64_t seed) {
  static constexpr Size part = 16;  // the most lines of a thread: 528 MiB on an H200
  const Size parts = Size{processors} * 2048, lines = parts * part, words = lines * line;
  const auto order = std::make_shared<const std::vector<uint32_t>>(shuffled(lines, seed));
  const auto at = [order](Size k) {
    return static_cast<uint32_t>((*order)[k % order->size()] * line);
  };
  auto bytes = std::make_shared<Bytes>((words + parts) * 4);
  auto* next = reinterpret_cast<uint32_t*>(bytes->data());
  for (Size k = 0; k < lines; ++k) next[at(k)] = at(k + 1);
  for (Size k = 0; k < parts; ++k) next[words + k] = at(k * part);
  for_warps([&](unsigned warps, unsigned block, unsigned blocks) {
    const unsigned grid = processors * blocks, threads = grid * block;
    const Size apart = parts / threads, steps = 4 * apart * part;
    Case c = warm_case(gpu_kernel_of<latency::hidden_loads>(), {{"warps", int64_t{warps}}}, grid,
                       block, {{steps, words, apart}}, bytes, std::size_t{threads} * 4);
    c.right = [=](std::span<const std::byte> y) {
      return all_right(threads, [&](std::size_t t) {
        return element<uint32_t>(y, t) == at(t * apart * part + steps);
      });
    };
    c.note = [=](Point& p, const Ran& ran) {
      const double clocks = *ran.ms * 1e6 * ghz;
      const double sectors = limit / 32 / ghz / processors;  // of a plain copy, for each clock
      p.figures = {{"cycles_a_load", clocks / double(steps), {}},
                   {"loads_per_clock", double(threads) * double(steps) / clocks / processors,
                    std::min(sectors, warps * 32 / latency)}};
    };
    cases.push_back(std::move(c));
  });
}

template <int L>
void add_loads(std::vector<Case>& cases, const Input& x, unsigned processors, double limit,
               double latency_ns) {
  uint32_t sum = 0;
  for (std::size_t i = 0; i < x->size() / 4; ++i) sum += element<uint32_t>(*x, i);
  for_warps([&](unsigned warps, unsigned block, unsigned blocks) {
    const unsigned grid = processors * blocks, threads = grid * block;
    const Size n = x->size() / 4 / (threads * L) * (threads * L);
    uint32_t whole = sum;
    for (Size i = n; i < x->size() / 4; ++i) whole -= element<uint32_t>(*x, i);
    Case c = cold_case(gpu_kernel_of<latency::loads<L>>(),
                       {{"loads", int64_t{L}}, {"warps", int64_t{warps}}}, grid, block, {{n}}, x,
                       std::size_t{threads} * 4);
    c.right = [=](std::span<const std::byte> y) {
      uint32_t all = 0;
      for (std::size_t t = 0; t < threads; ++t) all += element<uint32_t>(y, t);
      return all == whole;
    };
    c.note = [=](Point& p, const Ran& ran) {
      p.gbps = double(n) * 4 / (*ran.ms * 1e6);
      const double in_flight = double(threads) * L * 4;
      p.figures = {{"KiB_in_flight", in_flight / 1024, {}},
                   {"read_gbps", *p.gbps, std::min(limit, in_flight / latency_ns)}};
    };
    cases.push_back(std::move(c));
  });
}

// Two blocks share a multiprocessor's units, so a single block takes half their time.
void add_waves(std::vector<Case>& cases, unsigned processors, std::shared_ptr<double> one_wave) {
  static constexpr Size rounds = 2048;
  const auto zeros = std::make_shared<const Bytes>(128);
  const unsigned fit = processors * 2;  // blocks of 1024 threads
  for (const unsigned blocks :
       {fit, fit / 4, fit / 2, fit + 1, fit * 3 / 2, fit * 2, fit * 2 + 1, fit * 4, fit * 4 + 1}) {
    Case c = warm_case(gpu_kernel_of<latency::waves>(), {{"blocks", int64_t{blocks}}}, blocks, 1024,
                       {{rounds, 1}}, zeros, std::size_t{blocks} * 4096);
    c.right = [](std::span<const std::byte> y) { return all_are(y, float(rounds * 16)); };
    c.note = [=](Point& p, const Ran& ran) {
      if (blocks == fit) *one_wave = *ran.ms;
      p.figures = {{"waves", *ran.ms / *one_wave, std::ceil(double(blocks) / processors) / 2}};
    };
    cases.push_back(std::move(c));
  }
}

void add_flops(std::vector<Case>& cases, unsigned processors, double ghz, uint64_t seed) {
  const auto idle = std::make_shared<double>(0);
  constexpr Size n = Size{1} << 26;
  const Input x = random_bytes(n * 4, seed);
  for (const Size count : {0u, 8u, 16u, 32u, 48u, 64u, 96u, 128u, 256u, 512u}) {
    Case c = cold_case(gpu_kernel_of<latency::flops>(), {{"flops_a_word", int64_t(2 * count)}},
                       n / 256, 256, {{n, count, 1}}, x, n * 4);
    c.right = [=](std::span<const std::byte> y) {
      return all_right(n, [&](std::size_t i) {
        return element<float>(y, i) == float((element<uint32_t>(*x, i) & 255) + count);
      });
    };
    c.note = [=](Point& p, const Ran& ran) {
      p.gbps = double(n) * 8 / (*ran.ms * 1e6);
      if (count == 0) *idle = *ran.ms * 1e6;
      const double memory = *idle;  // ns that only the transfers take
      const double arithmetic = double(n) * double(count) / (processors * 128 * ghz);
      p.figures = {
          {"of_no_flops", memory / (*ran.ms * 1e6), memory / std::max(memory, arithmetic)}};
    };
    cases.push_back(std::move(c));
  }
}

Findings run(Workbench& bench, const ExperimentOptions& options) {
  const uint64_t seed = seed_of(options);
  const double ghz = bench.clock_ghz();
  const auto processors = static_cast<unsigned>(bench.multiprocessors());
  Findings found;
  found.limit_gbps = bench.copy_gbps(std::size_t{256} << 20).best();
  Latencies latency;
  const auto measure = [&](std::vector<Case> cases) {
    for (Point& p : bench.measure(std::move(cases))) found.points.push_back(std::move(p));
  };
  measure(chains(ghz, seed, latency));
  std::vector<Case> cases;
  add_hidden(cases, processors, ghz, latency.registers);
  add_hidden_loads(cases, processors, ghz, latency.memory, *found.limit_gbps, seed);
  const Input x = random_bytes(std::size_t{256} << 20, seed);
  const double ns = latency.memory / ghz;
  add_loads<1>(cases, x, processors, *found.limit_gbps, ns);
  add_loads<2>(cases, x, processors, *found.limit_gbps, ns);
  add_loads<4>(cases, x, processors, *found.limit_gbps, ns);
  add_loads<8>(cases, x, processors, *found.limit_gbps, ns);
  add_waves(cases, processors, std::make_shared<double>(0));
  add_flops(cases, processors, ghz, seed);
  measure(std::move(cases));
  found.remarks = {
      fmt::format("a load from memory takes {:.0f} cycles, {:.0f} ns: {:.0f} KiB must be in flight "
                  "for {:.0f} GB/s",
                  latency.memory, ns, *found.limit_gbps * ns / 1024, *found.limit_gbps),
      fmt::format("a register is ready {:.1f} cycles after it was written: {:.0f} warps a "
                  "multiprocessor hide that for 128 results a clock",
                  latency.registers, std::ceil(latency.registers * 4)),
      fmt::format("loads of a sector a lane, each waiting for the one before it: {:.0f} warps a "
                  "multiprocessor have as many bytes in flight",
                  std::ceil(*found.limit_gbps * ns / 1024 / processors))};
  return found;
}

}  // namespace

const Experiment latency_experiment{
    .name = "latency",
    .idea = "how long loads and registers take, and what hides it: warps, loads in flight, blocks",
    .question = "How much work must be in flight so that no unit waits?",
    .prediction =
        "bytes in flight = bandwidth x latency; a chain in w warps gives 32 w / latency results a "
        "clock until the units, or memory, are full; blocks take as many waves as they fill; "
        "memory is the limit until a word's arithmetic takes longer than its transfer",
    .lesson =
        "A GPU hides latency by having more to do: enough warps, or several independent loads in "
        "each thread, and whole waves of blocks.",
    .only_time = true,
    .run = run};

}  // namespace onefold::lab
