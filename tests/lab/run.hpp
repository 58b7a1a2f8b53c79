// Runs small kernels on the simulated machine.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "onefold/machine/sim.hpp"

namespace onefold::sim {

// Runs kernel(Sim, input of n ints 0, 1, 2, ..., output of n ints) under one schedule.
template <class F>
Report run(const Launch& how, std::size_t n, F kernel, unsigned schedule = 1,
           std::vector<int>* output = nullptr) {
  Engine gpu({.schedule = schedule});
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 0);
  const auto x = gpu.allocate<int>("x", n, values.data());
  const auto y = gpu.allocate<int>("y", n, static_cast<int*>(nullptr));
  launch(gpu, how, [&] { kernel(Sim{}, x, y); });
  if (output != nullptr) output->resize(n), gpu.read(y, output->data(), n);
  return gpu.report();
}
inline const Launch one_warp{.grid = 1, .block = 32};
inline const Launch two_warps{.grid = 1, .block = 64};
inline const Launch two_blocks{.grid = 2, .block = 32};
using P = Pointer<int>;

inline std::vector<FlawKind> kinds(const Report& r) {
  std::vector<FlawKind> k;
  for (const Flaw& f : r.flaws) k.push_back(f.kind);
  std::sort(k.begin(), k.end());
  k.erase(std::unique(k.begin(), k.end()), k.end());
  return k;
}
using Kinds = std::vector<FlawKind>;

}  // namespace onefold::sim
