// Runs a Plan on the processor.
#pragma once

#include "backend/backend.hpp"
#include "plan/plan.hpp"

namespace onefold::cpu_backend {

extern const backend::Backend backend;

// Folds a job, by states only where panels (family/panels.hpp) cannot.
void fold(const backend::Job& job);

// As backend::run: sums of answers that panels (family/panels.hpp) know exactly go to the table.
//   threads  plan.threads, or one per core; the caller's thread is one of them
void run(const Plan& plan, const void* x, const void* y, const backend::Done& done,
         StateTable* table = nullptr);

// Adds the elements of a nest to states that exist, canonical before and after: those of answer a
// to states[a * plan.layout.words].
//   plan  all but its nest
void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states);

}  // namespace onefold::cpu_backend
