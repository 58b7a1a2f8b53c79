// Reports how much of the input has been read.
#pragma once

#include <functional>
#include <mutex>

#include "onefold/core/base.hpp"

namespace onefold::io {

using Progress = std::function<void(Size bytes_done, Size bytes_total)>;  // total 0: unknown

// Counts bytes for a Progress. Any thread may add; calls of Progress come one after another.
class Meter {
 public:
  Meter(const Progress& progress, Size total) : progress_(progress), total_(total) {}
  void add(Size bytes) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    done_ += bytes;
    progress_(done_, total_);
  }

 private:
  const Progress& progress_;
  std::mutex mutex_;
  Size done_ = 0;
  Size total_ = 0;
};

}  // namespace onefold::io
