// The answers while they come in, in any order and from several threads.
#pragma once

#include <functional>
#include <mutex>

#include "onefold/onefold.hpp"
#include "plan/plan.hpp"

namespace onefold::io {

using Progress = std::function<void(Size bytes_done, Size bytes_total)>;  // total 0: unknown

class Output {
 public:
  explicit Output(const Plan& plan);
  // Room for more answers: for arrays whose length shows only at their end.
  void grow(Size answers);
  // Rounds a canonical state.
  void put(const Plan& plan, Size answer, const int64_t* state);
  // The answers, with their shape.
  Answers take(const Dims& shape);

 private:
  Answers answers_;
};

// Counts bytes for a Progress; calls come one after another, from any thread.
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
