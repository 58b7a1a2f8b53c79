#include "forks.hpp"

#include <pthread.h>
#include <sys/single_threaded.h>

#include <atomic>

namespace onefold {
namespace {

std::atomic<int> counted{0};
std::atomic<bool> has_others{false};  // when this process forked last
std::atomic<bool> lost{false};

[[maybe_unused]] const int registered =
    ::pthread_atfork([] { has_others = __libc_single_threaded == 0; }, nullptr,
                     [] {
                       ++counted;
                       if (has_others) lost = true;
                     });

}  // namespace

int forks() { return counted.load(std::memory_order_relaxed); }

bool lost_threads() { return lost.load(std::memory_order_relaxed); }

}  // namespace onefold
