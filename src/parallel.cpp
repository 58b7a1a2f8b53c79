#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "forks.hpp"
#include "system/process.hpp"

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

// The tasks of one loop. Any number of threads may work on them.
class Tasks {
 public:
  Tasks(std::size_t count, const Task& f) : count_(count), f_(f) {}

  // Does tasks until none is left. After an error those that have not begun are skipped.
  void work() {
    try {
      for (std::size_t t; (t = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) f_(t);
    } catch (...) {
      next_ = count_;
      const std::lock_guard lock(mutex_);
      if (error_ == nullptr) error_ = std::current_exception();
    }
  }
  // Throws the first error, once no thread works any more.
  void finish() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  const std::size_t count_;
  const Task& f_;
  std::mutex mutex_;
  std::exception_ptr error_;
  alignas(64) std::atomic<std::size_t> next_{0};
};

}  // namespace

void in_threads(std::size_t count, int threads, const Task& f) {
  Tasks tasks(count, f);
  const int most = 8 * cores();
  const auto wanted = static_cast<std::size_t>(threads > 0 ? std::min(threads, most) : cores());
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t k = 1; k < std::min(wanted, count); ++k) {
        others.emplace_back([&tasks] { tasks.work(); });
      }
    } catch (const std::system_error&) {
      // The system allows no more threads.
    }
    tasks.work();
  }
  tasks.finish();
}

namespace {

constinit thread_local Watch* watch = nullptr;

void run_tasks(std::size_t count, int threads, const Task& f);

}  // namespace

Watched::Watched(Watch& w) : before_(watch) { watch = &w; }
Watched::~Watched() { watch = before_; }

void tell_step(std::size_t k, std::size_t n) {
  if (watch == nullptr) return;
  watch->begin = static_cast<double>(k) / static_cast<double>(n);
  watch->length = 1 / static_cast<double>(n);
}

void parallel(std::size_t tasks, int threads, const Task& f) {
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
  run_tasks(tasks, threads, [&](std::size_t t) {
    if (std::this_thread::get_id() == caller) {
      const double share = static_cast<double>(done) / static_cast<double>(tasks);
      told->tell(told->begin + told->length * share);
    }
    f(t);
    ++done;
  });
}

#ifdef ONEFOLD_STD_THREADS
// ThreadSanitizer needs an instrumented oneTBB, so its preset uses this instead.
const char* thread_library() { return "std::thread"; }

int default_threads() { return cores(); }

namespace {
bool may_be_awake() { return false; }
void run_tasks(std::size_t count, int threads, const Task& f) { in_threads(count, threads, f); }
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
  bool help() {
    if (wanted.load(std::memory_order_relaxed) <= 0) return false;
    ++inside;
    int left = wanted;
    while (left > 0 && !wanted.compare_exchange_weak(left, left - 1)) {
    }
    if (left > 0) tasks->work();
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
  for (Clock::time_point end = Clock::now() + patience; Clock::now() < end;) {
    for (int k = 0; k < 16; ++k) {
      bool found = false;
      for (Place& p : places) {
        if (p.wanted.load(std::memory_order_relaxed) <= 0) continue;
        ++at_work;
        found |= p.help();
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

void run_tasks(std::size_t count, int threads, const Task& f) {
  if (threads != 1 && count > 1 && !pool.is_here()) return in_threads(count, threads, f);
  std::size_t most = 1;
  if (threads != 1 && count > 1) {
    using Limit = tbb::global_control;
    most = std::min({threads > 0 ? static_cast<std::size_t>(threads) : count, count,
                     static_cast<std::size_t>(default_threads()),
                     Limit::active_value(Limit::max_allowed_parallelism)});
  }
  Place* const place = most > 1 ? take_place() : nullptr;
  if (place == nullptr) {
    for (std::size_t t = 0; t < count; ++t) f(t);
    return;
  }
  Tasks tasks(count, f);
  place->tasks = &tasks;
  place->wanted = static_cast<int>(most) - 1;
  try {
    ask_for(static_cast<int>(most) - 1);
  } catch (const std::runtime_error&) {
    // A thread could not be started.
  }
  tasks.work();
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
  return threads > 0 ? threads : default_threads();
}

}  // namespace onefold
