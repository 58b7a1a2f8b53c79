// Tells whether this process is a child of `fork`. A child has only the thread that called fork.
// The parent's other threads are gone, and locks that they held stay locked for ever.
#pragma once

#include <atomic>

namespace onefold {

// The number of forks between the start of the program and this process.
int forks();

// Remembers the first use of something that does not survive a fork: a library with its own
// threads, or a lock. It is initialised at compile time, so it needs no lock itself.
class FirstUse {
 public:
  // Returns true in the process that asked first, and false in a child that was forked later. If
  // the parent never asked, a child may be the first.
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
