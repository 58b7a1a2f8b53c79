#include "onefold/system/forks.hpp"

#include "onefold/system/process.hpp"

namespace onefold {
namespace {

std::atomic<int> counted{0};
[[maybe_unused]] const bool registered = system::at_fork(nullptr, nullptr, [] { ++counted; });

}  // namespace

int forks() { return counted.load(std::memory_order_relaxed); }

}  // namespace onefold
