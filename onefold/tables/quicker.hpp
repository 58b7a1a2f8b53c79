// Chooses the faster of two ways to do the parts of one job. Both ways take turns on the first
// parts; the way with the shorter best time does the rest. Many threads may call it.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>

#include "onefold/core/base.hpp"

namespace onefold::io {

class Quicker {
 public:
  static constexpr int turns = 2;  // parts by which each of the two ways is timed at first

  // size: the size of a part, in any unit. way(second): does the part in the second or first way.
  template <class Way>
  void run(Size size, Way way) {
    using Clock = std::chrono::steady_clock;
    const bool second = take();
    const auto start = Clock::now();
    way(second);
    const std::chrono::duration<double> time = Clock::now() - start;
    took(second, time.count() / static_cast<double>(std::max<Size>(size, 1)));
  }

 private:
  bool take() {
    const std::lock_guard lock(mutex_);
    const bool trying = taken_[0] < turns || taken_[1] < turns;
    const bool second = trying ? taken_[1] < taken_[0] : best_[1] < best_[0];
    ++taken_[second ? 1 : 0];
    return second;
  }
  void took(bool second, double time) {
    const std::lock_guard lock(mutex_);
    double& best = best_[second ? 1 : 0];
    best = std::min(best, time);
  }

  std::mutex mutex_;
  Size taken_[2] = {};
  double best_[2] = {std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::infinity()};
};

}  // namespace onefold::io
