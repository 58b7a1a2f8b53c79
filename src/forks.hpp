// Whether this process is a child of `fork`. It has one thread: the one that called fork. The
// parent's other threads are gone, and a lock that one of them held stays locked for ever.
#pragma once

#include <atomic>

namespace onefold {

// The number of forks between the start of the program and this process.
int forks();

// The first use of something that does not follow a fork: a library with threads of its own, or a
// lock. Constant-initialised, so that it needs no lock itself.
class FirstUse {
 public:
  // True in the process that asked first; false in a child that was forked after that. A child
  // whose parent never asked is such a process, too.
  bool is_here() {
    int first = after_.load(std::memory_order_relaxed);
    const int now = forks();
    return first == now || (first == none && after_.compare_exchange_strong(first, now)) ||
           first == now;
  }

 private:
  static constexpr int none = -1;
  std::atomic<int> after_{none};  // the number of forks before the first use
};

}  // namespace onefold
