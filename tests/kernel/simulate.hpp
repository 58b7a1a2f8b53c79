// A product kernel on the simulated machine, and the same state from the processor's portable
// feeds.
#pragma once

#include <string>
#include <vector>

#include "backend/cpu/run.hpp"
#include "generate.hpp"
#include "onefold/kernel/whole.hpp"
#include "onefold/machine/sim.hpp"
#include "plan/plan.hpp"

namespace onefold::test {

struct KernelRun {
  unsigned grid = 2;
  unsigned schedule = 1;
  std::size_t skip = 0;  // elements by which the array is misaligned
  int launches = 1;      // the workspace must be as it was
  Size first = 0;        // the index of the first element
  std::optional<sim::Site> without{};
};

struct KernelResult {
  std::vector<int64_t> state;    // canonical
  std::vector<Rounded> answers;  // where ops are asked for, instead
  std::vector<sim::Flaw> flaws;
};

// How answers are to be rounded.
struct Rounding {
  NanPolicy nan = NanPolicy::propagate;
  Correction correction{};
  std::vector<DType> results;  // of each op
};

template <class T, uint32_t set, int U, int warps, uint32_t ops = 0>
KernelResult simulate_whole(const Data& x, const Data* y, const KernelRun& how,
                            const Rounding& rounding = {}) {
  using State = kernel::StateOf<T, set>;
  const auto n = x.size();
  const auto elements = [](const Data* d) {
    return d == nullptr ? nullptr : reinterpret_cast<const T*>(d->data());
  };
  sim::Engine gpu({.schedule = how.schedule, .count = false, .without = how.without});
  const std::vector<int64_t> zeros(static_cast<std::size_t>(State::words * kernel::replicas) + 1);
  const uint32_t no_tickets[kernel::counters] = {};
  const auto array = gpu.allocate<T>("x", n, elements(&x), how.skip);
  const auto other = gpu.allocate<T>("y", y == nullptr ? 0 : n, elements(y), how.skip);
  const kernel::Workspace<Sim> workspace{
      .counters = gpu.allocate<uint32_t>("counters", kernel::counters, no_tickets),
      .words = gpu.allocate<int64_t>("words", zeros.size(), zeros.data()),
      .blocks = gpu.allocate<int64_t>("blocks", how.grid * kernel::block_words, nullptr)};
  const auto state = gpu.allocate<int64_t>("state", State::words, nullptr);
  const std::vector<uint8_t> poison(16 * std::max<std::size_t>(rounding.results.size(), 1), 0xa5);
  const auto values = gpu.allocate<uint8_t>("answers", poison.size(), poison.data());
  kernel::Results<Sim, ops> results{
      .state = state, .correction = rounding.correction, .nan = rounding.nan, .place = {}};
  for (std::size_t k = 0; k < rounding.results.size(); ++k) {
    results.place[k] = {.value = values + 16 * k,
                        .status = values + (16 * k + 8),
                        .dtype = rounding.results[k],
                        .has_status = true};
  }
  gpu.expect_zero(workspace.counters);
  KernelResult result;
  for (int k = 0; k < how.launches; ++k) {
    sim::launch(gpu, {.grid = how.grid, .block = 32 * warps}, [&] {
      kernel::whole<T, set, U, warps, ops>(
          Sim{}, kernel::Input<Sim, T>{.x = array, .y = other, .n = n, .first = how.first},
          workspace, results);
    });
  }
  result.flaws = gpu.report().flaws;
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

// Of all elements, by lift.
std::vector<int64_t> portable_state(Accumulators set, const Data& x, const Data* y);

// The flaws in words, or nothing.
std::string text_of(const std::vector<sim::Flaw>& flaws);

}  // namespace onefold::test
