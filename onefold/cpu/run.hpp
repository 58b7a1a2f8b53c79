// Runs a Plan on the processor.
#pragma once

#include "onefold/engine/backend/backend.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::cpu_backend {

extern const backend::Backend backend;

// Folds a job by panels (family/panels.hpp), and by states what panels cannot fold.
void fold(const backend::Job& job);

// Like backend::run. Sums that panels know exactly are written to `table`.
//   threads  plan.threads, or one per core; the caller's thread is one of them
void run(const Plan& plan, const void* x, const void* y, const backend::Done& done,
         StateTable* table = nullptr);

// Adds the elements of a nest to existing states, which are canonical before and after. Answer a
// belongs to states[a * plan.layout.words].
//   plan  its own nest is not used
void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states);

}  // namespace onefold::cpu_backend
