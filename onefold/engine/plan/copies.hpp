// Kept axes of stride 0: along them all answers have the same elements. So one answer is folded,
// and copied to the others.
#pragma once

#include <optional>
#include <vector>

#include "onefold/engine/plan/plan.hpp"

namespace onefold {

struct Copies {
  Plan plan;               // the plan that folds one of each set of equal answers
  std::vector<Axis> axes;  // axes of the answers, the slowest first

  static bool are_in(const Plan& plan);
  // Returns nothing if the plan has no such axes.
  static std::optional<Copies> of(const Plan& all);

  // Calls f with the number of each answer that equals answer `number`.
  template <class F>
  void for_each(Size number, F f, std::size_t done = 0) const {
    if (done == axes.size()) return f(number);
    const Axis& a = axes[axes.size() - 1 - done];  // the fastest first
    const auto step = static_cast<Size>(a.step);
    const Size first = number / step * a.extent * step + number % step;
    for (Size i = 0; i < a.extent; ++i) for_each(first + i * step, f, done + 1);
  }

  // Writes all answers, each of so many bytes.
  //   from, to  `from`: one answer of each set, contiguous; `to`: all answers
  void spread(const void* from, void* to, Size bytes) const;
};

}  // namespace onefold
