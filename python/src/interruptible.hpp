// Runs work that Ctrl-C can end.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "python.hpp"

namespace onefold::python {

// Thrown inside a fold after Ctrl-C, to end it.
struct Interrupted {};

// Runs `work` on another thread, while Python handles its signals: a fold of a file may take
// minutes. `work` gets a function that throws once Python has raised.
//   tick  called a few times a second, and at the end, with the GIL; it may raise
template <class Work, class Tick>
void run_interruptibly(const Work& work, const Tick& tick) {
  std::atomic<bool> stop{false};
  std::exception_ptr error;
  bool done = false;
  std::mutex mutex;
  std::condition_variable changed;
  bool raised = false;
  {
    const WithoutGil released;
    std::jthread thread([&] {
      try {
        work([&] {
          if (stop) throw Interrupted();
        });
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) {
      if (raised) continue;
      lock.unlock();
      const PyGILState_STATE gil = PyGILState_Ensure();
      raised = PyErr_CheckSignals() != 0 || !tick();
      PyGILState_Release(gil);
      stop = raised;
      lock.lock();
    }
  }
  if (raised) throw PythonError();
  if (error) std::rethrow_exception(error);
  if (!tick()) throw PythonError();
}
template <class Work>
void run_interruptibly(const Work& work) {
  run_interruptibly(work, [] { return true; });
}

}  // namespace onefold::python
