// Folds along axes without states: rows, columns and what lies between, panel by panel.
#pragma once

#include <functional>
#include <span>

#include "plan/plan.hpp"

namespace onefold::cpu_backend {

// Whether panels can answer a plan.
bool takes_panels(const Plan& plan);

// Answers what the plan asks for where totals of a few f64 (panel.hpp) can; false, and nothing
// done, where they cannot. Answer a to op k goes to straight[k], at its place in C order; those
// that totals do not decide are handed over as states: `done(answer, state)`, all ops at once.
bool run_panels(const Plan& plan, const void* x, const void* y,
                std::span<std::byte* const> straight,
                const std::function<void(Size answer, const int64_t* state)>& done);

}  // namespace onefold::cpu_backend
