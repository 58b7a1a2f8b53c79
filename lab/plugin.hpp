// Calls CUB, which only nvcc compiles, in a separate library, `onefold_cub.so`, loaded when needed.
#pragma once

#include <string>

#include "lab/rung.hpp"

namespace onefold::lab {

// Returns why there is no CUB, in one sentence; empty: there is. It is searched for beside the
// program, or at $ONEFOLD_CUB_PLUGIN.
const std::string& why_no_cub();

// Queues the sum; throws std::runtime_error with CUB's message, or why CUB is missing.
void cub_sum(const int32_t* x, Size n, int32_t* answer, const OnStream& where);
void cub_sum(const int64_t* x, Size n, int64_t* answer, const OnStream& where);
void cub_sum(const float* x, Size n, float* answer, const OnStream& where);
void cub_sum(const double* x, Size n, double* answer, const OnStream& where);

}  // namespace onefold::lab
