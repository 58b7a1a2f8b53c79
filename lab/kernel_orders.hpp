// The orders of threads under which `onefold lab run` runs a launch.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "lab/kernel_bound.hpp"
#include "lab/kernel_judge.hpp"

namespace onefold::lab {

// An order and its name for --order: 0 is lock-step, 1 runs each thread to its next barrier, larger
// numbers are seeds; "2/7:1/9:1" is a small order: at most 2 blocks in flight, and at choices 7 and
// 9 the next actor goes on instead of the last.
struct Order {
  unsigned schedule = 0;
  sim::Interleaving interleaving{};

  bool interleaves() const { return interleaving.way != sim::Interleaving::Way::none; }
  std::string name() const;
  // How to run it again, if it is not one of the first two: " (--order 17 runs it again)".
  std::string remark() const;
};
// throws bad_option
Order order_named(const std::string& name, const ptx::Program& program);

// Starting a run takes as long as so many steps.
inline constexpr uint64_t steps_of_run = 8192;

// What one run of all launches leaves.
struct KernelRun {
  sim::Report report;
  std::vector<LaunchCounts> counted;
  std::vector<std::vector<std::byte>> arrays;
  std::vector<Size> unwritten;
  std::string printed, failure;
  uint64_t steps = 0, longest = 0;
  std::map<sim::Site, uint64_t> lost;  // threads whose last atomicCAS failed
  std::vector<uint32_t> choices;       // of a small order
};
// Runs the launch that is prepared, and adds what is counted in it.
void launch(ptx::Running& run, bool cooperative, LaunchCounts& count);
KernelRun run_once(const KernelOptions& o, const ptx::Program& program,
                   std::span<const Bound> bound, const Order& order,
                   sim::Observer* observer = nullptr);

// Runs the launches under all orders that are asked for, and judges each. After a flaw that
// `allowed` does not cover no further orders are tried.
void run_orders(const KernelOptions& o, const ptx::Program& program, std::span<const Bound> bound,
                std::span<const Suppression> allowed, KernelResult& r);

}  // namespace onefold::lab
