// Shared by tests of rungs as PTX.
#pragma once

#include <gtest/gtest.h>

#include "kernel.hpp"
#include "lab/example.hpp"
#include "lab/gpu.hpp"
#include "lab/simulate.hpp"
#include "onefold/system/jit/nvrtc.hpp"
#include "rungs.hpp"

namespace onefold::lab {

inline std::vector<const Entry*> rungs_with_kernels() {
  auto list = simulated_rungs();
  std::erase_if(list, [](const Entry* e) { return !e->has_kernel(); });
  return list;
}

// Returns all options except the file.
inline KernelOptions launches_of(const Entry& e, const Setting& s) {
  return kernel_options("", rung_options(plan(e, false, s.n, s.block, s.grid)));
}

inline int64_t sum_of(const KernelResult& r, const Plan& p) {
  int64_t sum = 0;
  for (Size i = 0; i < p.answers; ++i) sum += element(r, rung_buffers[int(p.answer)], i);
  return sum;
}

}  // namespace onefold::lab
