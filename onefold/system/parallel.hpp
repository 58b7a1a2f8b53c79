// Runs tasks on several threads, one of which is the caller's.
//
//   helpers  threads of oneTBB that take tasks of any loop. When there are none, a helper waits
//            for 0.1 ms before it goes back to oneTBB: to wake up 15 threads takes 0.05 ms, which
//            is as long as a fold of 2 MB
//   tasks    each thread begins with tasks of its own, the same from loop to loop, since their data
//            may still be in its caches
//   loops    may be nested, and several threads may run loops at the same time. The caller takes
//            tasks too, and waits for no thread that has not begun one
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>

namespace onefold {

// Calls f(task) for each task in [0, tasks), on at most `threads` threads (0: one per core). If f
// throws, later tasks are skipped, and the exception is thrown here.
void parallel(std::size_t tasks, int threads, const std::function<void(std::size_t)>& f);

// Does the same for tasks that keep something for each thread: f(task, worker), with worker <
// workers(tasks, threads). No two threads are the same worker.
void parallel_workers(std::size_t tasks, int threads,
                      const std::function<void(std::size_t, std::size_t)>& f);
std::size_t workers(std::size_t tasks, int threads);

// Tells the caller of long folds how far they are, and lets it end them.
struct Watch {
  // Called by the thread that has the watch, before each of its tasks, with the share of the work
  // that is done, 0 to 1. It may throw, which ends the fold. Between loops of a fold the share may
  // decrease.
  std::function<void(double)> tell;
  // The part of the fold that the next loop is: where it begins, and how long it is, 0 to 1.
  double begin = 0, length = 1;
};

// Folds of more bytes than this are cut into tasks even for one thread, so that they can be ended.
inline constexpr std::size_t long_bytes = std::size_t{256} << 20;

// While it lives, `parallel` reports to this thread's watch.
class WatchScope {
 public:
  explicit WatchScope(Watch& watch);
  ~WatchScope();
  WatchScope(const WatchScope&) = delete;
  WatchScope& operator=(const WatchScope&) = delete;

 private:
  Watch* before_;
};

// Says that this thread's next loop is step k of n equal ones, if the thread has a watch.
void tell_step(std::size_t k, std::size_t n);

// Does what `parallel` does, without a watch, on newly started threads, for tasks that wait for
// files and would block a pool. They start within 0.1 ms; oneTBB takes ten times as long for a
// process's first task. There are at most 8 threads for each core, and no more than the system
// allows.
void in_threads(std::size_t tasks, int threads, const std::function<void(std::size_t)>& f);

// Returns the cores that this process may use, which is also the meaning of threads = 0.
int cores();

// Returns "oneTBB", or "std::thread" in children of processes that had used oneTBB.
const char* thread_library();

// Returns the number of threads that `parallel` uses for 0.
int default_threads();

// Folds of fewer bytes use one thread. From `many_bytes` on, they use all that they may.
inline constexpr std::size_t least_shared_bytes = std::size_t{256} << 10,
                             many_bytes = std::size_t{1} << 20,
                             least_task_bytes = std::size_t{1} << 15;

// Returns how many threads should fold so many bytes if at most `threads` may (0: one per core), at
// least least_task_bytes each.
// Between the two limits several threads gain only if they are awake. So the second fold of a
// thread that folds one array after another is the first to use them.
int threads_for(std::size_t bytes, int threads);

}  // namespace onefold
