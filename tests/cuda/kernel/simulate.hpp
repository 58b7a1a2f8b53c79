// Runs a kernel of the library on the simulated machine, and the processor's portable feeds, whose
// state must be the same.
#pragma once

#include <string>
#include <vector>

#include "generate.hpp"
#include "onefold/cpu/run.hpp"
#include "onefold/cuda/kernel/whole.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/machine/sim.hpp"

namespace onefold::test {

struct KernelRun {
  unsigned grid = 2;
  unsigned schedule = 1;
  std::size_t skip = 0;    // elements from an aligned address to the array
  std::size_t skip_y = 0;  // the same for the second array
  int launches = 1;        // launches in a row; each must leave the workspace as it was
  bool deeper = true;      // also run the launches that take what the first gives up
  bool alone = false;      // in a single launch with its own bins, if there is one
  bool few = false;        // in a single launch of small parts, if there is one
  bool digits = false;     // in a single launch without f64
  unsigned enough = 1;     // so many warps give up before whole blocks do
  Size first = 0;          // the index of the first element
  std::optional<sim::Site> without{};
};

struct KernelResult {
  std::vector<int64_t> state;    // canonical
  std::vector<Rounded> answers;  // if there are ops, instead of the state
  std::vector<sim::Flaw> flaws;
  std::vector<sim::Site> sync_sites;
  uint32_t counters[kernel::counters] = {};  // must be zero after the last launch
  uint32_t given[3] = {};  // entries in the two lists of warps, and in the list of blocks
};

// How to round answers.
struct Rounding {
  NanPolicy nan = NanPolicy::propagate;
  Correction correction{};
  std::vector<DType> results;  // one for each op
};

template <class T, uint32_t set, int U, int warps, kernel::OpSet ops = 0, class M = Sim>
KernelResult simulate_whole(const Data& x, const Data* y, const KernelRun& how,
                            const Rounding& rounding = {}) {
  using namespace kernel;
  using State = StateOf<T, set>;
  constexpr auto has = [](Stage d) { return has_launch(dtype_of<T>, Accumulators(set), d); };
  const auto n = x.size();
  const auto elements = [](const Data* d) {
    return d == nullptr ? nullptr : reinterpret_cast<const T*>(d->data());
  };
  sim::Engine gpu({.schedule = how.schedule, .count = false, .without = how.without});
  const std::vector<int64_t> zeros(State::words * replicas + arrival_words);
  const uint32_t none_counted[counters] = {};
  const auto array = gpu.allocate<T>("x", n, elements(&x), how.skip);
  const auto other = gpu.allocate<T>("y", y == nullptr ? 0 : n, elements(y), how.skip_y);
  Stages stages{.grid = {how.grid},
                .warps = warps,
                .bin_warps = how.few ? 1u : static_cast<uint32_t>(warps),
                .enough = how.enough,
                .at_once = 1 + how.grid / 2};
  const bool few = how.few && has(Stage::small), alone = how.alone && has(Stage::single) && !few,
             digits = how.digits && has(Stage::digits),
             deeper = how.deeper && !alone && !few && !digits;
  if (deeper && has(Stage::wide)) stages.grid[1] = how.grid + 1;
  if (deeper && has(Stage::bins)) stages.grid[2] = 1 + how.grid / 2;
  const std::vector<int64_t> no_rivals((stages.before(Stage::bins) + stages.grid[2] + 1) *
                                       std::size_t{most_rival_words});
  const kernel::Workspace<M> workspace{
      .counters = gpu.allocate<uint32_t>("counters", counters, none_counted),
      .words = gpu.allocate<int64_t>("words", zeros.size(), zeros.data()),
      .rivals = gpu.allocate<int64_t>("rivals", no_rivals.size(), no_rivals.data()),
      .lists = gpu.allocate<uint32_t>("lists", 2 * stages.stride() + how.grid, nullptr)};
  const auto state = gpu.allocate<int64_t>("state", State::words, nullptr);
  const std::vector<uint8_t> poison(16 * std::max<std::size_t>(rounding.results.size(), 1), 0xa5);
  const auto values = gpu.allocate<uint8_t>("answers", poison.size(), poison.data());
  Results<M, ops> results{
      .state = state, .correction = rounding.correction, .nan = rounding.nan, .place = {}};
  for (std::size_t k = 0; k < rounding.results.size(); ++k) {
    results.place[k] = {.value = values + 16 * k,
                        .status = values + (16 * k + 8),
                        .dtype = rounding.results[k],
                        .has_status = true};
  }
  const Input<M, T> input{.x = array, .y = other, .n = n, .first = how.first};
  KernelResult result;
  for (int k = 0; k < how.launches; ++k) {
    const auto launch_all = [&]<Stage stage>() {
      if constexpr (has(stage)) {
        const int bins = has(Stage::bins) ? bin_bytes(dtype_of<T>, Accumulators(set)) : 0;
        sim::launch(
            gpu, {.grid = how.grid, .block = 32 * warps, .shared_bytes = 32 * warps * bins},
            [&] { whole<T, set, U, warps, ops, stage>(M{}, input, workspace, results, stages); });
      }
    };
    if (digits) {
      launch_all.template operator()<Stage::digits>();
    } else if (alone) {
      launch_all.template operator()<Stage::single>();
    } else if (few) {
      launch_all.template operator()<Stage::small>();
    } else {
      sim::launch(gpu, {.grid = how.grid, .block = 32 * warps},
                  [&] { whole<T, set, U, warps, ops>(M{}, input, workspace, results, stages); });
    }
    gpu.read(workspace.counters, result.counters, counters);
    for (int i = 0; i < 3; ++i) result.given[i] += result.counters[entries + i];
    if constexpr (has(Stage::wide)) {
      if (stages.grid[1] != 0) {
        sim::launch(gpu, {.grid = stages.grid[1], .block = 64}, [&] {
          whole<T, set, U, 2, ops, Stage::wide>(M{}, input, workspace, results, stages);
        });
        gpu.read(workspace.counters, result.counters, counters);
        result.given[1] += result.counters[entries + 1];
      }
    }
    if constexpr (has(Stage::bins)) {
      constexpr int deep_warps = 2;
      if (stages.grid[2] != 0) {
        sim::launch(gpu,
                    {.grid = stages.grid[2],
                     .block = 32 * deep_warps,
                     .shared_bytes = 32 * deep_warps * bin_bytes(dtype_of<T>, Accumulators(set))},
                    [&] {
                      whole<T, set, U, deep_warps, ops, Stage::bins>(M{}, input, workspace, results,
                                                                     stages);
                    });
      }
    }
  }
  gpu.read(workspace.counters, result.counters, counters);
  sim::Report report = gpu.report();
  result.flaws = std::move(report.flaws);
  result.sync_sites = std::move(report.sync_sites);
  if (ops != 0) {
    std::vector<uint8_t> bytes(poison.size());
    gpu.read(values, bytes.data(), bytes.size());
    for (std::size_t k = 0; k < rounding.results.size(); ++k) {
      Rounded r{0, static_cast<Status>(bytes[16 * k + 8])};
      std::memcpy(&r.bits, &bytes[16 * k], bytes_of(rounding.results[k]));
      result.answers.push_back(r);
    }
    return result;
  }
  result.state.resize(State::words);
  gpu.read(state, result.state.data(), result.state.size());
  canonicalise(result.state.data(), layout_of(Accumulators(set), dtype_of<T>), dtype_of<T>);
  return result;
}

// Lifts all elements.
std::vector<int64_t> portable_state(Accumulators set, const Data& x, const Data* y);

// Returns the flaws in words; empty: none.
std::string text_of(const std::vector<sim::Flaw>& flaws);

}  // namespace onefold::test
