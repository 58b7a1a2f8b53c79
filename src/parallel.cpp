#include "parallel.hpp"

#include <algorithm>
#include <atomic>
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
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace onefold {

int cores() {
  const int usable = system::usable_processors();
  return usable > 0 ? usable : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void in_threads(std::size_t tasks, int threads, const std::function<void(std::size_t)>& f) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;  // the first error; tasks that have not begun are skipped
  const auto work = [&] {
    try {
      for (std::size_t t; (t = next.fetch_add(1)) < tasks;) f(t);
    } catch (...) {
      next = tasks;
      const std::lock_guard lock(mutex);
      if (error == nullptr) error = std::current_exception();
    }
  };
  const int most = 8 * cores();
  const auto wanted = static_cast<std::size_t>(threads > 0 ? std::min(threads, most) : cores());
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t k = 1; k < std::min(wanted, tasks); ++k) others.emplace_back(work);
    } catch (const std::system_error&) {
      // The system allows no more threads.
    }
    work();
  }
  if (error != nullptr) std::rethrow_exception(error);
}

namespace {

constinit thread_local Watch* watch = nullptr;

void run_tasks(std::size_t tasks, int threads, const std::function<void(std::size_t)>& f);

}  // namespace

Watched::Watched(Watch& w) : before_(watch) { watch = &w; }
Watched::~Watched() { watch = before_; }

void tell_step(std::size_t k, std::size_t n) {
  if (watch == nullptr) return;
  watch->begin = static_cast<double>(k) / static_cast<double>(n);
  watch->length = 1 / static_cast<double>(n);
}

void parallel(std::size_t tasks, int threads, const std::function<void(std::size_t)>& f) {
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
void run_tasks(std::size_t tasks, int threads, const std::function<void(std::size_t)>& f) {
  in_threads(tasks, threads, f);
}
}  // namespace
#else
namespace {

// If the parent of this process had used oneTBB, its threads are gone here, and one may have held a
// lock. No call of oneTBB is safe then, so we start threads.
constinit FirstUse pool;

}  // namespace

const char* thread_library() { return pool.is_here() ? "oneTBB" : "std::thread"; }

int default_threads() { return pool.is_here() ? tbb::this_task_arena::max_concurrency() : cores(); }

namespace {

void run_tasks(std::size_t tasks, int threads, const std::function<void(std::size_t)>& f) {
  if (tasks == 0) return;
  if (tasks == 1 || threads == 1) {
    for (std::size_t t = 0; t < tasks; ++t) f(t);
    return;
  }
  if (!pool.is_here()) {
    in_threads(tasks, threads, f);
    return;
  }
  std::vector<char> done(tasks);  // not bool: each has an address of its own
  std::atomic<bool> thrown{false};
  const auto one = [&](std::size_t t) {
    try {
      f(t);
    } catch (...) {
      thrown = true;
      throw;
    }
    done[t] = 1;
  };
  const auto loop = [&] { tbb::parallel_for(std::size_t{0}, tasks, one); };
  // isolate: while this thread waits, it must not take up other tasks of its caller, which may need
  // a lock that it holds.
  const auto run = [&] { tbb::this_task_arena::isolate(loop); };
  // oneTBB prints a warning if it is asked for more threads than it allows, and gains nothing.
  const auto most = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  try {
    if (threads <= 0 || threads >= std::min(default_threads(), static_cast<int>(most))) {
      run();
    } else {
      tbb::task_arena(threads).execute(run);
    }
  } catch (const std::runtime_error&) {
    if (thrown) throw;
    // A thread could not be started, so this thread does the remaining tasks.
    for (std::size_t t = 0; t < tasks; ++t) {
      if (done[t] == 0) f(t);
    }
  }
}

}  // namespace
#endif

}  // namespace onefold
