#include "onefold/cpu/loops.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace onefold::cpu_backend {
namespace {

// Returns the kept or the folded axes in memory order, the slowest first. Axes with negative steps
// are reversed.
//   walk  the nest, whose origin moves to the first element of the reversed axes
std::vector<Axis> upwards(const Nest& nest, bool folded, Nest& walk) {
  std::vector<Axis> axes;
  for (Axis a : nest.axes) {
    if (a.folded != folded) continue;
    if (a.step < 0) turn(walk, a);
    axes.push_back(a);
  }
  join(axes);
  return axes;
}

// Returns the axes of `of_memory` with the largest steps first; equal steps keep memory order.
std::vector<Axis> in_order(const std::vector<Axis>& of_memory) {
  std::vector<Axis> axes;
  for (const Axis& a : of_memory) {
    const auto at = std::upper_bound(axes.begin(), axes.end(), a.step,
                                     [](int64_t s, const Axis& b) { return s > b.step; });
    axes.insert(at, a);
  }
  join(axes);
  return axes;
}

bool lie_side_by_side(const Loops& l) {
  if (l.kept.empty() || l.folded.empty() || is_dense(l.folded.back(), l.bytes)) return false;
  return std::abs(l.kept.back().stride[0]) < std::abs(l.folded.back().stride[0]);
}

// The shortest run that gets a state of its own: opening, closing and merging a state takes as long
// as some 50 elements in different cache lines.
constexpr Size least_run = 64;

}  // namespace

Loops::Loops(const Nest& nest, bool selects) : bytes(nest.bytes), repeats(nest.repeats) {
  Nest walk{.answer = nest.answer, .index = nest.index};
  std::copy_n(nest.origin, 3, walk.origin);
  kept = in_order(upwards(nest, false, walk));
  const std::vector<Axis> of_memory = upwards(nest, true, walk);
  folded = in_order(of_memory);
  std::copy_n(walk.origin, 3, origin);
  answer = walk.answer;
  index = walk.index;
  answers = nest.answers();
  elements = nest.elements();
  columns = lie_side_by_side(*this);
  answers_count_on = counts_on(kept);
  const bool asked =
      std::any_of(folded.begin(), folded.end(), [](const Axis& a) { return a.step != 0; });
  indices_count_on = !asked || counts_on(folded);
  if (!asked || selects || of_memory == folded || of_memory.back().extent < least_run) return;
  const bool nearer =
      kept.empty() || std::abs(of_memory.back().stride[0]) < std::abs(kept.back().stride[0]);
  if (!nearer) return;
  folded = of_memory;
  columns = false;
  by_runs = true;
}

}  // namespace onefold::cpu_backend
