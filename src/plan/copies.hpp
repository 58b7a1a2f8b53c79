// Kept axes of stride 0, along which all answers have the same elements: one answer is folded, and
// copied to the others.
#pragma once

#include <optional>
#include <vector>

#include "plan/plan.hpp"

namespace onefold {

struct Copies {
  Plan plan;               // the plan that folds one answer of each kind
  std::vector<Axis> axes;  // axes of the answers, the slowest first

  static bool are_in(const Plan& plan);
  // Nothing, where a plan has none.
  static std::optional<Copies> of(const Plan& all);

  // Calls f for the number of each answer that is that of `number`.
  template <class F>
  void for_each(Size number, F f, std::size_t done = 0) const {
    if (done == axes.size()) return f(number);
    const Axis& a = axes[axes.size() - 1 - done];  // the fastest first
    const auto step = static_cast<Size>(a.step);
    const Size first = number / step * a.extent * step + number % step;
    for (Size i = 0; i < a.extent; ++i) for_each(first + i * step, f, done + 1);
  }

  // Writes all answers of so many bytes each.
  //   from, to  one of each; all, side by side
  void spread(const void* from, void* to, Size bytes) const;
};

}  // namespace onefold
