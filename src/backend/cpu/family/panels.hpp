// Folds along axes without states, panel by panel: rows, columns and middle axes.
#pragma once

#include <span>

#include "backend/backend.hpp"

namespace onefold::cpu_backend {

// Whether panels can answer a plan.
bool takes_panels(const Plan& plan);

// Answers what the plan asks for where totals of a few f64 (panel.hpp) can; false, and nothing
// done, where they cannot. Answer a to op k goes to straight[k], at its place in C order; those
// that totals do not decide are handed over as states, one by one, all ops at once.
bool run_panels(const Plan& plan, const void* x, const void* y,
                std::span<std::byte* const> straight, const backend::Done& done);

// Gathers the sums of every answer where they are three f64 exactly, and puts them into the table;
// others are handed over as states. False, and nothing done, where something else is gathered, or
// states are quicker.
bool gather_panels(const Plan& plan, const void* x, StateTable& table, const backend::Done& done);

}  // namespace onefold::cpu_backend
