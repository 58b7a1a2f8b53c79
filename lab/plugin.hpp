// CUB, which nvcc alone compiles: a library of its own, `onefold_cub.so`, found when asked for.
#pragma once

#include <string>

#include "lab/rung.hpp"

namespace onefold::lab {

// Why there is no CUB, in one sentence; empty: there is. It is looked for beside the program, or
// where $ONEFOLD_CUB_PLUGIN says.
const std::string& why_no_cub();

// Queues the sum; throws std::runtime_error with CUB's words, or why there is none.
void cub_sum(const int32_t* x, Size n, int32_t* answer, const OnStream& where);
void cub_sum(const int64_t* x, Size n, int64_t* answer, const OnStream& where);
void cub_sum(const float* x, Size n, float* answer, const OnStream& where);
void cub_sum(const double* x, Size n, double* answer, const OnStream& where);

}  // namespace onefold::lab
