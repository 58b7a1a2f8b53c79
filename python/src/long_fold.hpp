// Folds of long arrays: other threads of Python run meanwhile, Ctrl-C ends them, and progress= is
// told.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "onefold/system/parallel.hpp"
#include "python.hpp"

namespace onefold::python {

// Handles signals while an array of at least this size is folded, which takes 5 ms or more.
inline constexpr std::size_t watched_bytes = std::size_t{64} << 20;

class LongFold {
 public:
  //   bytes     of the array
  //   progress  a function of the bytes done and all bytes, or null
  explicit LongFold(std::size_t bytes, PyObject* progress = nullptr)
      : released_(bytes >= long_fold_bytes) {
    if (bytes >= watched_bytes || progress != nullptr) told_.emplace(bytes, progress);
  }

 private:
  using Clock = std::chrono::steady_clock;

  class ProgressReport {
   public:
    ProgressReport(std::size_t bytes, PyObject* progress)
        : bytes_(bytes), progress_(progress), watch_{[this](double share) { tell(share); }} {}

   private:
    // Called by the thread that folds; throws PythonError if a signal's handler or `progress`
    // raises.
    void tell(double share) {
      const Clock::time_point now = Clock::now();
      if (now - last_ < std::chrono::milliseconds(50)) return;
      last_ = now;
      most_ = std::max(most_, share);
      const auto done = static_cast<unsigned long long>(most_ * static_cast<double>(bytes_));
      const PyGILState_STATE gil = PyGILState_Ensure();
      bool raised = PyErr_CheckSignals() != 0;
      if (!raised && progress_ != nullptr) {
        const Ref said(
            PyObject_CallFunction(progress_, "KK", done, static_cast<unsigned long long>(bytes_)));
        raised = said.get() == nullptr;
      }
      PyGILState_Release(gil);
      if (raised) throw PythonError();
    }

    std::size_t bytes_;
    PyObject* progress_;
    Clock::time_point last_ = Clock::now();
    double most_ = 0;
    Watch watch_;
    WatchScope watched_{watch_};
  };

  WithoutGil released_;
  std::optional<ProgressReport> told_ = {};
};

// Tells progress= that all bytes are done.
inline void tell_end(std::size_t bytes, PyObject* progress) {
  if (progress == nullptr) return;
  const auto n = static_cast<unsigned long long>(bytes);
  const Ref said(checked(PyObject_CallFunction(progress, "KK", n, n)));
}

}  // namespace onefold::python
