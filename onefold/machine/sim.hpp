// The simulated GPU. It runs a kernel `template <class M> void k(M m, ...)` with M = Sim:
//
//   onefold::sim::Engine gpu({.schedule = 1});
//   auto x = gpu.allocate<int>("x", n, data);
//   onefold::sim::launch(gpu, {.grid = 4, .block = 256}, [&] { k(onefold::Sim{}, x, n); });
//   gpu.report().counters.global_load.requests, gpu.report().flaws
//
// One file of the program includes `onefold/machine/sim.inl` instead. Needs Boost.Context
// (libboost_context).
#pragma once

#include "onefold/machine/sim/engine.hpp"
#include "onefold/machine/sim/fibre.hpp"

namespace onefold::sim {

// Launches `kernel()` on `gpu`.
template <class Kernel>
void launch(Engine& gpu, const Launch& launch, Kernel kernel) {
  gpu.launch(
      launch,
      [](void* k) -> std::unique_ptr<Execution> {
        return std::make_unique<OnFibre>([](void* text) { (*static_cast<Kernel*>(text))(); }, k);
      },
      &kernel);
}

}  // namespace onefold::sim
