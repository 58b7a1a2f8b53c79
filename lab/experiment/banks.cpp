// Bank conflicts of shared memory, pattern by pattern.
#include <algorithm>
#include <numeric>

#include "lab/experiment.hpp"
#include "lab/rung/banks.hpp"

namespace onefold::lab {
namespace {

// On a GPU there are enough warps to keep the banks busy, and so many reads that the time for
// filling does not matter.
constexpr unsigned gpu_block = 256, blocks_a_multiprocessor = 4;
constexpr Size gpu_times = 4096;

class Cases {
 public:
  Cases(const Workbench& bench, const sim::Chip& chip, uint64_t seed)
      : bench_(bench), chip_(chip), x_(random_bytes(8192, seed)) {}

  // A pattern in which `lane` reads element place(lane), in `waves` wavefronts a warp.
  template <class K, class Place>
  void add(Params params, Sizes sizes, uint64_t waves, Place place) {
    const bool simulated = bench_.simulated();
    const unsigned block = simulated ? 32 : gpu_block;
    const auto multiprocessors = static_cast<unsigned>(std::max(bench_.multiprocessors(), 1));
    const unsigned grid = simulated ? 1 : multiprocessors * blocks_a_multiprocessor;
    const Size times = simulated ? 1 : gpu_times;
    sizes.v[4] = times;
    const double readings = double(times) * grid * block / 32;
    const double ghz = clock_ghz_, processors = multiprocessors;
    Case c = warm_case(kernel_of<K>(), std::move(params), grid, block, sizes, x_,
                       std::size_t{grid} * block * 4);
    c.job.chip = chip_;
    c.right = [=, x = x_](std::span<const std::byte> y) {
      for (unsigned t = 0; t < grid * block; ++t) {
        using T = typename K::X;
        const uint32_t once = banks::total(element<T>(*x, place(t % 32)));
        if (element<uint32_t>(y, t) != once * static_cast<uint32_t>(times)) return false;
      }
      return true;
    };
    c.note = [=](Point& p, const Ran& ran) {
      const auto predicted = static_cast<double>(waves);
      if (ran.ms) {
        // Each multiprocessor's banks serve one wavefront a clock.
        const double cycles = *ran.ms * 1e6 * ghz * processors / readings;
        p.figures = {{"cycles_per_request", cycles, predicted}};
      } else {
        const sim::Traffic& t = ran.report.counters.shared_load;
        p.figures = {{"wavefronts_per_request", double(t.count) / double(t.requests), predicted}};
      }
    };
    cases_.push_back(std::move(c));
  }

  void set_clock(double ghz) { clock_ghz_ = ghz; }
  std::vector<Case> take() { return std::move(cases_); }

 private:
  const Workbench& bench_;
  sim::Chip chip_;
  Input x_;
  double clock_ghz_ = 0;
  std::vector<Case> cases_;
};

// The number of wavefronts if `of_word[k]` lanes read the k-th word, each word is in another bank,
// and each wavefront can send only one word to several lanes. A wavefront serves all lanes of the
// word with the most waiting lanes, and one lane of each other word. So the w-th word needs w
// wavefronts, or as many as it has lanes if these are fewer.
uint64_t one_broadcast_each(std::vector<uint64_t> of_word) {
  std::sort(of_word.rbegin(), of_word.rend());
  uint64_t waves = 0;
  for (std::size_t w = 0; w < of_word.size(); ++w) {
    waves = std::max<uint64_t>(waves, std::min<uint64_t>(of_word[w], w + 1));
  }
  return waves;
}

uint64_t quotient_waves(const sim::Chip& chip, unsigned c) {
  if (chip.many_broadcasts) return 1;
  uint64_t waves = 0;
  for (unsigned first = 0; first < 32; first += chip.request_lanes) {
    std::map<unsigned, uint64_t> lanes;
    for (unsigned t = first; t < first + chip.request_lanes; ++t) ++lanes[t / c];
    std::vector<uint64_t> of_word;
    for (const auto& [word, n] : lanes) of_word.push_back(n);
    waves += one_broadcast_each(std::move(of_word));
  }
  return waves;
}

Findings run(Workbench& bench, const ExperimentOptions& options) {
  const sim::Chip chip = chip_of(options);
  const unsigned banks = chip.banks, groups = 32 / chip.request_lanes;
  Cases cases(bench, chip, seed_of(options));
  cases.set_clock(bench.clock_ghz());
  const auto number = [](unsigned v) { return Param{int64_t{v}}; };
  for (unsigned o = 0; o <= 32; o = o < 4 ? o + 1 : o * 2) {
    cases.add<banks::offset>({{"offset", number(o)}}, {{o}}, groups,
                             [o](unsigned t) { return t + o; });
  }
  for (unsigned c = 1; c <= 64; ++c) {
    cases.add<banks::stride>({{"c", number(c)}}, {{c}}, groups * std::gcd(c, banks),
                             [c](unsigned t) { return t * c; });
  }
  for (const unsigned c : {1u, 2u, 3u, 4u, 8u, 16u, 32u}) {
    cases.add<banks::quotient>({{"c", number(c)}}, {{c}}, quotient_waves(chip, c),
                               [c](unsigned t) { return t / c; });
  }
  for (const unsigned k : {0u, 31u}) {
    cases.add<banks::broadcast>({{"k", number(k)}}, {{k}}, groups, [k](unsigned) { return k; });
  }
  for (const unsigned pitch : {16u, 17u, 32u, 33u}) {
    for (const unsigned k : {0u, 5u}) {
      cases.add<banks::column>({{"row", number(pitch)}, {"k", number(k)}}, {{pitch, k}},
                               groups * std::gcd(pitch, banks),
                               [=](unsigned t) { return t * pitch + k; });
    }
  }
  const auto same = [](unsigned t) { return t; };
  cases.add<banks::wide<uint32_t>>({{"bytes", number(4)}}, {}, groups, same);
  cases.add<banks::wide<uint64_t>>({{"bytes", number(8)}}, {}, groups * 2, same);
  cases.add<banks::wide<Vector16<uint32_t>>>({{"bytes", number(16)}}, {}, groups * 4, same);
  return {.points = bench.measure(cases.take())};
}

}  // namespace

const Experiment banks_experiment{
    .name = "banks",
    .idea = "shared memory has banks: which patterns make lanes wait for one another",
    .question = "How many turns does a warp's access to shared memory take?",
    .prediction =
        "32 banks of 4 bytes (16, and half-warps, on c.c. 1.x) serve a word each: as many turns "
        "as the bank with most distinct words has; s[t * c] takes gcd(c, banks)",
    .lesson =
        "Offsets and broadcasts are free; a stride costs the factor that it shares with the number "
        "of banks, so one word of padding a row frees the columns of a tile.",
    .options = "counters replays",
    .run = run};

}  // namespace onefold::lab
