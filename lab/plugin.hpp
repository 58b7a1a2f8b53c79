// Calls CUB, which only nvcc compiles, in a separate library, `onefold_cub.so`, loaded when needed.
#pragma once

#include <string>

#include "lab/rung.hpp"

namespace onefold::lab {

// Returns why there is no CUB, in one sentence; empty: there is. It is searched for beside the
// program, or at $ONEFOLD_CUB_PLUGIN.
const std::string& why_no_cub();

// Queues the sum of elements of a kind, 'i' or 'f'; throws std::runtime_error with CUB's message or
// why CUB is missing.
void cub_sum(char kind, unsigned bytes, const void* x, Size n, void* answer, const OnStream& where);
template <class T>
void cub_sum(const T* x, Size n, T* answer, const OnStream& where) {
  cub_sum(T(0.5) == T(0) ? 'i' : 'f', sizeof(T), x, n, answer, where);
}

}  // namespace onefold::lab
