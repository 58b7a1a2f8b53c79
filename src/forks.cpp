#include "forks.hpp"

#include <pthread.h>

namespace onefold {
namespace {

std::atomic<int> counted{0};
[[maybe_unused]] const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++counted; });

}  // namespace

int forks() { return counted.load(std::memory_order_relaxed); }

}  // namespace onefold
