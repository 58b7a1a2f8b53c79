// Runs a Plan on the processor.
#pragma once

#include <functional>
#include <span>

#include "backend/backend.hpp"
#include "plan/plan.hpp"

namespace onefold::cpu_backend {

extern const backend::Backend backend;

// Gathers every answer's state and hands it over, canonical, as `done(answer, state)`: each answer
// once, in any order and from several threads.
//   threads  plan.threads, or one per core; the caller's thread is one of them
//   straight where answers to each op are written instead, as far as there is no need of states
//            (family/panels.hpp); empty: nowhere
void run(const Plan& plan, const void* x, const void* y,
         const std::function<void(Size answer, const int64_t* state)>& done,
         std::span<std::byte* const> straight = {});

// Adds the elements of a nest to states that exist, canonical before and after: those of answer a
// to states[a * plan.layout.words].
//   plan  all but its nest
void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states);

}  // namespace onefold::cpu_backend
