#include "backend/cpu/loops.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace onefold::cpu_backend {
namespace {

// The axes of one role, with rising steps and the largest first. Where all are 0 the order of
// memory stays.
//   walk  where it begins
std::vector<Axis> in_order(const Nest& nest, bool folded, Nest& walk) {
  std::vector<Axis> axes;
  for (Axis a : nest.axes) {
    if (a.folded != folded) continue;
    if (a.step < 0) turn(walk, a);
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

}  // namespace

Loops::Loops(const Nest& nest) : bytes(nest.bytes), repeats(nest.repeats) {
  Nest walk{.answer = nest.answer, .index = nest.index};
  std::copy_n(nest.origin, 3, walk.origin);
  kept = in_order(nest, false, walk);
  folded = in_order(nest, true, walk);
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
}

}  // namespace onefold::cpu_backend
