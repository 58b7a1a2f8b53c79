// Lanes of a warp that take different branches: the steps of tutorial 001, and branches of all
// kinds.
#include <fmt/format.h>

#include <algorithm>

#include "lab/experiment.hpp"
#include "lab/rung/divergence.hpp"

namespace onefold::lab {
namespace {

constexpr unsigned block = 512;  // as in tutorial 001
constexpr unsigned warps = block / 32;

// Counts the block's warps in which some lane works, and those in which some lanes work and others
// do not. Thread t works if works(t).
struct Split {
  unsigned working = 0, diverging = 0;
};
template <class F>
Split split(F works) {
  Split s;
  for (unsigned w = 0; w < warps; ++w) {
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < 32; ++lane) lanes += works(w * 32 + lane) ? 1 : 0;
    s.working += lanes != 0;
    s.diverging += lanes != 0 && lanes != 32;
  }
  return s;
}

class Cases {
 public:
  Cases(const Workbench& bench, const sim::Chip& chip, uint64_t seed)
      : simulated_(bench.simulated()),
        chip_(chip),
        grid_(simulated_ ? 32 : 1 << 14),  // 2^14 elements, or 2^23 on a GPU
        x_(random_bytes(std::size_t{grid_} * block * 4, seed)) {}

  bool simulated() const { return simulated_; }
  double blocks() const { return grid_; }

  // `result(x of the block, t)` is the value that thread t writes.
  template <class K, class Result, class Note>
  void add(Params params, Sizes sizes, Result result, Note note) {
    Case c = cold_case(kernel_of<K>(), std::move(params), grid_, block, sizes, x_, x_->size());
    c.job.chip = chip_;
    c.right = [=, x = x_, grid = grid_](std::span<const std::byte> y) {
      return all_right(std::size_t{grid} * block, [&](std::size_t i) {
        const auto* of_block = reinterpret_cast<const uint32_t*>(x->data()) + i / block * block;
        return element<uint32_t>(y, i) == result(of_block, static_cast<unsigned>(i % block));
      });
    };
    c.note = [=, bytes = double(x_->size())](Point& p, const Ran& ran) {
      if (ran.ms) {
        p.gbps = 2 * bytes / (*ran.ms * 1e6);
      } else {
        note(p, ran.report.counters);
      }
    };
    all_.push_back(std::move(c));
  }
  std::span<const uint32_t> x() const {
    return {reinterpret_cast<const uint32_t*>(x_->data()), x_->size() / 4};
  }
  std::vector<Case> take() { return std::move(all_); }

 private:
  bool simulated_;
  sim::Chip chip_;
  unsigned grid_;
  Input x_;
  std::vector<Case> all_;
};

// A step of a tree: says which warps work, and which of them diverge.
template <class K, class Works, class Result>
void add_step(Cases& cases, int64_t step, Size distance, unsigned loads, Works works,
              Result result) {
  const Split s = split(works);
  const auto note = [=, blocks = cases.blocks()](Point& p, const sim::Counters& n) {
    // Each warp loads once, and a working warp another `loads` times.
    const double working = (double(n.global_load.requests) / blocks - warps) / loads;
    p.figures = {{"working_warps", working, s.working},
                 {"diverging_warps", double(n.divergent_branches) / blocks, s.diverging},
                 {"active_lanes", n.active_lanes(), {}}};
  };
  cases.add<K>({{"step", step}, {"distance", static_cast<int64_t>(distance)}}, {{distance}}, result,
               note);
}

void add_steps(Cases& cases) {
  for (unsigned step = 1, d = 1; d < block; ++step, d *= 2) {
    const auto works = [=](unsigned t) { return t % (2 * d) == 0; };
    add_step<divergence::neighbored>(cases, step, d, 1, works, [=](const uint32_t* x, unsigned t) {
      return works(t) ? x[t] + x[t + d] : x[t];
    });
  }
  for (unsigned step = 1, d = 1; d < block; ++step, d *= 2) {
    const auto works = [=](unsigned t) { return 2 * d * t < block; };
    add_step<divergence::neighbored_less>(
        cases, step, d, 2, works, [=](const uint32_t* x, unsigned t) {
          return works(t) ? x[2 * d * t] + x[2 * d * t + d] : x[t];
        });
  }
  for (unsigned step = 1, d = block / 2; d > 0; ++step, d /= 2) {
    const auto works = [=](unsigned t) { return t < d; };
    add_step<divergence::interleaved>(cases, step, d, 1, works, [=](const uint32_t* x, unsigned t) {
      return works(t) ? x[t] + x[t + d] : x[t];
    });
  }
}

void add_branches(Cases& cases) {
  // On a GPU the branches are long, so that they take most of the time, not memory.
  const Size rounds = cases.simulated() ? 1 : 256;
  // There are a load and a branch for 32 lanes, and a store for each branch that a warp takes.
  const auto note = [](double ways) {
    return [=](Point& p, const sim::Counters& n) {
      p.figures = {
          {"instructions", n.instructions_per_warp(), 2 + ways},
          {"active_lanes", n.active_lanes(), 96 / (2 + ways)},
          {"diverging_share", double(n.divergent_branches) / double(n.branches), ways - 1}};
    };
  };
  const auto way = [=](uint32_t v, bool one) {
    return one ? divergence::one_way(v, rounds) : divergence::other_way(v, rounds);
  };
  cases.add<divergence::by_warp>(
      {}, {{rounds}}, [=](const uint32_t* x, unsigned t) { return way(x[t], t / 32 % 2 == 0); },
      note(1));
  cases.add<divergence::by_parity>(
      {}, {{rounds}}, [=](const uint32_t* x, unsigned t) { return way(x[t], t % 2 == 0); },
      note(2));
  double ways = 0;  // average number of branches that a warp takes
  const auto x = cases.x();
  for (std::size_t w = 0; w < x.size(); w += 32) {
    const auto even = std::count_if(&x[w], &x[w] + 32, [](uint32_t v) { return v % 2 == 0; });
    ways += even == 0 || even == 32 ? 1 : 2;
  }
  const auto by_data = [=](const uint32_t* b, unsigned t) { return way(b[t], b[t] % 2 == 0); };
  cases.add<divergence::by_data>({}, {{rounds}}, by_data, note(ways / double(x.size() / 32)));
  cases.add<divergence::selected>({}, {{rounds}}, by_data, [](Point& p, const sim::Counters& n) {
    p.figures = {{"instructions", n.instructions_per_warp(), 2},  // a load and a store
                 {"active_lanes", n.active_lanes(), 32},
                 {"diverging_share", double(n.divergent_branches), 0}};
  });
}

void add_trips(Cases& cases) {
  const Size rounds = cases.simulated() ? 1 : 16;
  const auto add = [&](const char* name, Size least, Size more) {
    const double longest = double(least + 31 * more), all = double(32 * least + 496 * more);
    cases.add<divergence::trips>(
        {{"trips", std::string(name)}}, {{rounds, least, more}},
        [=](const uint32_t* x, unsigned t) {
          uint32_t v = 0;
          for (Size k = 0; k < least + t % 32 * more; ++k)
            v = divergence::one_way(v + x[t], rounds);
          return v;
        },
        [=, n_warps = cases.blocks() * warps](Point& p, const sim::Counters& n) {
          const double loads = double(n.global_load.requests);
          p.figures = {{"rounds_of_a_warp", loads / n_warps, longest},
                       {"lanes_a_round", double(n.global_load.bytes) / 4 / loads, all / longest}};
        });
  };
  add("16", 16, 0);
  add("lane", 0, 1);
  add("31", 31, 0);
}

Findings run(Workbench& bench, const ExperimentOptions& options) {
  Cases cases(bench, chip_of(options), seed_of(options));
  add_steps(cases);
  add_branches(cases);
  add_trips(cases);
  Findings found{.points = bench.measure(cases.take())};
  const auto ms = [&](std::string_view name, const char* trips) {
    for (const Point& p : found.points) {
      const bool same =
          p.name == name && (*trips == '\0' || p.params[0].second == Param{std::string(trips)});
      if (same && p.ms) return *p.ms;
    }
    return 0.0;
  };
  if (const double base = ms("by_warp", ""); base != 0) {
    found.remarks.push_back(fmt::format(
        "against a branch by warp, time is {:.2f} by parity, {:.2f} by data and {:.2f} with both "
        "ways and a select; predicted 2",
        ms("by_parity", "") / base, ms("by_data", "") / base, ms("selected", "") / base));
    found.remarks.push_back(fmt::format(
        "trips 0 to 31 by lane, 15.5 on average, take {:.2f} of the time of 31 for all; predicted "
        "1",
        ms("trips", "lane") / ms("trips", "31")));
  }
  return found;
}

}  // namespace

const Experiment divergence_experiment{
    .name = "divergence",
    .idea = "lanes of a warp that take different branches: steps of a tree, branches, loops",
    .question = "What does it cost when the lanes of a warp do different things?",
    .prediction =
        "a warp issues one instruction for its 32 lanes: it goes each way that any lane goes, and "
        "round a loop as often as its longest lane; of a block of 512, 8, 4, 2, 1 warps work where "
        "the first threads do, and the last five steps diverge",
    .lesson =
        "Let whole warps do the same: number the working threads from 0, so that the others go "
        "idle by warps.",
    .options = "counters replays",
    .run = run};

}  // namespace onefold::lab
