// Our rungs as NVRTC compiles them, and how `lab run` launches them.
#pragma once

#include <gtest/gtest.h>

#include "jit/nvrtc.hpp"
#include "kernel.hpp"
#include "lab/gpu.hpp"
#include "lab/plan.hpp"
#include "rungs.hpp"

namespace onefold::lab {

inline constexpr const char* rung_buffers[] = {"input", "first", "second"};

inline std::vector<const Entry*> rungs_with_kernels() {
  auto list = simulated_rungs();
  std::erase_if(list, [](const Entry* e) { return !e->has_kernel(); });
  return list;
}

inline std::string ptx_of(const Entry& e, unsigned block) {
  const std::vector<std::string> options{"-std=c++20",  "-arch=compute_90", "-lineinfo",
                                         "-fmad=false", "-default-device",  "-device-int128"};
  const auto made = jit::Nvrtc::get().to_ptx(gpu_source(e, false, Type::i32, Op::sum, block),
                                             "rung.cu", options, gpu_headers(), "");
  EXPECT_FALSE(made.ptx.empty()) << made.log;
  return made.ptx;
}

// All but the file.
inline KernelOptions launches_of(const Entry& e, const Setting& s) {
  const Plan p = plan(e, false, s.n, s.block, s.grid);
  const auto size = [](Size n) { return std::to_string(std::max<Size>(n, 1)); };
  KernelOptions o;
  o.arguments =
      kernel_arguments("input:i32[" + size(s.n) + "]=rand, first:i32[" + size(p.first_size) + "]" +
                           (p.first_zeroed ? "=0" : "") + ", second:i32[" + size(p.second_size) +
                           "], ticket:u32[" + std::to_string(p.ticket_size) + "]=0",
                       1);
  for (const Step& step : p.steps) {
    o.cooperative = o.cooperative || step.cooperative;
    o.launches.push_back(
        {.kernel = "rung",
         .grid = {static_cast<unsigned>(step.grid), 1, 1},
         .block = {s.block, 1, 1},
         .shared = p.shared_elements * 4,
         .arguments = {rung_buffers[int(step.x)], rung_buffers[int(step.y)], std::to_string(step.n),
                       std::to_string(step.step), "ticket"}});
  }
  return o;
}

inline int64_t sum_of(const KernelResult& r, const Plan& p) {
  int64_t sum = 0;
  for (Size i = 0; i < p.answers; ++i) sum += element(r, rung_buffers[int(p.answer)], i);
  return sum;
}

}  // namespace onefold::lab
