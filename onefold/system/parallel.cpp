#include "onefold/system/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "onefold/system/floating_point.hpp"
#include "onefold/system/forks.hpp"
#include "onefold/system/process.hpp"

#ifndef ONEFOLD_STD_THREADS
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#endif

namespace onefold {

int cores() {
  const int usable = system::usable_processors();
  return usable > 0 ? usable : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

namespace {

using Task = std::function<void(std::size_t)>;
using WorkerTask = std::function<void(std::size_t, std::size_t)>;

// The tasks of one loop, in a range for each of its threads. A thread does those of its own range,
// which has the same data from loop to loop, and then what is left of others.
class Tasks {
 public:
  // workers: the most threads that will work; at most `count`
  Tasks(std::size_t count, std::size_t workers, const WorkerTask& f) : f_(f), ranges_(workers) {
    for (std::size_t r = 0; r < workers; ++r) {
      ranges_[r].next = count * r / workers;
      ranges_[r].end = count * (r + 1) / workers;
    }
  }

  // Does tasks until none is left, if possible as worker `wish`. After an error those that have not
  // begun are skipped.
  void work(std::size_t wish) {
    const FloatingPointMode mode;  // a pool's threads have the mode of who made them
    const std::size_t n = ranges_.size();
    std::size_t own = wish % n;
    for (std::size_t k = 0; ranges_[own].taken.exchange(true); ++k) {
      if (k == n) return;
      own = (own + 1) % n;
    }
    try {
      for (std::size_t k = 0; k < n; ++k) {
        Range& r = ranges_[(own + k) % n];
        for (std::size_t t; r.next.load(std::memory_order_relaxed) < r.end;) {
          if ((t = r.next.fetch_add(1, std::memory_order_relaxed)) < r.end) f_(t, own);
        }
      }
    } catch (...) {
      for (Range& r : ranges_) r.next = r.end;
      const std::lock_guard lock(mutex_);
      if (error_ == nullptr) error_ = std::current_exception();
    }
  }
  // Throws the first error, once no thread works any more.
  void finish() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  struct alignas(64) Range {
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
    std::atomic<bool> taken{false};
  };
  const WorkerTask& f_;
  std::vector<Range> ranges_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

// Does what `parallel_workers` does on newly started threads.
void in_new_threads(std::size_t count, int threads, const WorkerTask& f) {
  if (count == 0) return;
  const int most = 8 * cores();
  const auto wanted = static_cast<std::size_t>(threads > 0 ? std::min(threads, most) : cores());
  Tasks tasks(count, std::min(wanted, count), f);
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t k = 1; k < std::min(wanted, count); ++k) {
        others.emplace_back([&tasks, k] { tasks.work(k); });
      }
    } catch (const std::system_error&) {
      // The system allows no more threads.
    }
    tasks.work(0);
  }
  tasks.finish();
}

}  // namespace

void in_threads(std::size_t count, int threads, const Task& f) {
  in_new_threads(count, threads, [&f](std::size_t t, std::size_t) { f(t); });
}

namespace {

constinit thread_local Watch* watch = nullptr;

void run_tasks(std::size_t count, int threads, const WorkerTask& f);

}  // namespace

WatchScope::WatchScope(Watch& w) : before_(watch) { watch = &w; }
WatchScope::~WatchScope() { watch = before_; }

void tell_step(std::size_t k, std::size_t n) {
  if (watch == nullptr) return;
  watch->begin = static_cast<double>(k) / static_cast<double>(n);
  watch->length = 1 / static_cast<double>(n);
}

void parallel(std::size_t tasks, int threads, const Task& f) {
  parallel_workers(tasks, threads, [&f](std::size_t t, std::size_t) { f(t); });
}

std::size_t workers(std::size_t tasks, int threads) {
  return std::min(tasks, static_cast<std::size_t>(threads > 0 ? threads : default_threads()));
}

void parallel_workers(std::size_t tasks, int threads, const WorkerTask& f) {
  const FloatingPointMode mode;
  Watch* const told = watch;
  if (told == nullptr) {
    run_tasks(tasks, threads, f);
    return;
  }
  struct Apart {  // while it lives, loops within these tasks do not report to the watch
    Watch* const before = watch;
    Apart() { watch = nullptr; }
    ~Apart() { watch = before; }
  } const apart;
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<std::size_t> done{0};
  run_tasks(tasks, threads, [&](std::size_t t, std::size_t worker) {
    if (std::this_thread::get_id() == caller) {
      const double share = static_cast<double>(done) / static_cast<double>(tasks);
      told->tell(told->begin + told->length * share);
    }
    f(t, worker);
    ++done;
  });
}

#ifdef ONEFOLD_STD_THREADS
// ThreadSanitizer needs an instrumented oneTBB, so its preset uses this instead.
const char* thread_library() { return "std::thread"; }

int default_threads() { return cores(); }

namespace {
bool may_be_awake() { return false; }
void run_tasks(std::size_t count, int threads, const WorkerTask& f) {
  in_new_threads(count, threads, f);
}
}  // namespace
#else
namespace {

// If the parent of this process had used oneTBB, its threads are gone here, and one may have held a
// lock. No call of oneTBB is safe then, so we start threads.
constinit FirstUse pool;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

// Where a loop waits for helpers. A place is never freed: a late helper may look at it at any time.
struct alignas(64) Place {
  std::atomic<bool> taken{false};
  std::atomic<int> wanted{0};  // helpers that may still come; 0 while no loop is here
  Tasks* tasks = nullptr;
  alignas(64) std::atomic<int> inside{0};  // helpers that work, or look whether they may

  // Works for the loop, if it still wants a helper.
  bool help(std::size_t helper) {
    if (wanted.load(std::memory_order_relaxed) <= 0) return false;
    ++inside;
    int left = wanted;
    while (left > 0 && !wanted.compare_exchange_weak(left, left - 1)) {
    }
    if (left > 0) tasks->work(helper);
    if (--inside == 0) inside.notify_all();
    return left > 0;
  }
  // Lets no more helpers in, and waits for those inside.
  void close() {
    wanted = 0;
    for (int k = 0, n; (n = inside) != 0; ++k) {
      if (k < 2000) {
        pause();
      } else {
        inside.wait(n);
      }
    }
    taken.store(false, std::memory_order_release);
  }
};
constinit Place places[32];  // loops beyond these have no helpers

constinit std::atomic<int> helpers{0};  // that work, wait, or have been asked for
constinit std::atomic<int> at_work{0};

// What a helper does.
void help() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds patience(100);
  const auto number = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
  for (Clock::time_point end = Clock::now() + patience; Clock::now() < end;) {
    for (int k = 0; k < 16; ++k) {
      bool found = false;
      for (Place& p : places) {
        if (p.wanted.load(std::memory_order_relaxed) <= 0) continue;
        ++at_work;
        found |= p.help(number);
        --at_work;
      }
      if (found) {
        end = Clock::now() + patience;
      } else {
        pause();
      }
    }
  }
  --helpers;
}

// Asks oneTBB for so many helpers, less those that are waiting or coming.
void ask_for(int wanted) {
  // Never destroyed: its threads may outlive this library's statics.
  static tbb::task_arena& arena = *new tbb::task_arena;
  const int most = arena.max_concurrency() - 1;
  for (int k = wanted - (helpers - at_work); k > 0 && helpers < most; --k) {
    ++helpers;
    arena.enqueue(help);
  }
}

Place* take_place() {
  for (Place& p : places) {
    if (!p.taken.exchange(true, std::memory_order_acquire)) return &p;
  }
  return nullptr;
}

bool may_be_awake() { return pool.is_here(); }

}  // namespace

const char* thread_library() { return pool.is_here() ? "oneTBB" : "std::thread"; }

int default_threads() { return pool.is_here() ? tbb::this_task_arena::max_concurrency() : cores(); }

namespace {

void run_tasks(std::size_t count, int threads, const WorkerTask& f) {
  if (threads != 1 && count > 1 && !pool.is_here()) return in_new_threads(count, threads, f);
  std::size_t most = 1;
  if (threads != 1 && count > 1) {
    using Limit = tbb::global_control;
    most = std::min({workers(count, threads), static_cast<std::size_t>(default_threads()),
                     Limit::active_value(Limit::max_allowed_parallelism)});
  }
  Place* const place = most > 1 ? take_place() : nullptr;
  if (place == nullptr) {
    for (std::size_t t = 0; t < count; ++t) f(t, 0);
    return;
  }
  Tasks tasks(count, most, f);
  place->tasks = &tasks;
  place->wanted = static_cast<int>(most) - 1;
  try {
    ask_for(static_cast<int>(most) - 1);
  } catch (const std::runtime_error&) {
    // A thread could not be started.
  }
  tasks.work(0);
  place->close();
  tasks.finish();
}

}  // namespace
#endif

int threads_for(std::size_t bytes, int threads) {
  if (bytes < least_shared_bytes || threads == 1) return 1;
  using Clock = std::chrono::steady_clock;
  static constinit std::atomic<const void*> last_thread{nullptr};
  static constinit std::atomic<Clock::rep> last_time{0};
  static thread_local char own;
  const Clock::rep now = Clock::now().time_since_epoch().count(),
                   before = last_time.exchange(now, std::memory_order_relaxed);
  const bool again = last_thread.exchange(&own, std::memory_order_relaxed) == &own &&
                     Clock::duration(now - before) < std::chrono::microseconds(200);
  if (bytes < many_bytes && !(again && may_be_awake())) return 1;
  const int most = threads > 0 ? threads : default_threads();
  return static_cast<int>(std::min(static_cast<std::size_t>(most), bytes / least_task_bytes));
}

}  // namespace onefold
