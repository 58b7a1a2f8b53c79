// Folds along axes without states, panel by panel: rows, columns and middle axes.
#pragma once

#include <span>

#include "onefold/engine/backend/backend.hpp"

namespace onefold::cpu_backend {

// Whether panels can answer a plan.
bool takes_panels(const Plan& plan);

// Computes all answers that the plan asks for. Returns false, and does nothing, if totals of a few
// f64 (panel.hpp) cannot. The answers of op k are written to straight[k] in C order. Answers that
// totals do not decide are passed to `done` as states, one by one, with all ops at once.
bool run_panels(const Plan& plan, const void* x, const void* y,
                std::span<std::byte* const> straight, const backend::Done& done);

// Writes each answer's sums to the table if three f64 hold them exactly; passes the other answers
// to `done` as states. Returns false, and does nothing, if the plan gathers something other than
// sums, or if states are quicker.
bool gather_panels(const Plan& plan, const void* x, StateTable& table, const backend::Done& done);

}  // namespace onefold::cpu_backend
