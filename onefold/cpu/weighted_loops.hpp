// The loops of a plan with weights (onefold/engine/plan/weighted.hpp): answers by the kept axes,
// elements by the folded ones. Both are numbered in the order of the axes, the last one fastest.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "onefold/engine/backend/backend.hpp"
#include "onefold/engine/plan/weighted.hpp"

namespace onefold::cpu_backend {

struct WeightedLoops {
  using Axis = Weighted::Axis;
  using Steps = std::array<int64_t, 4>;  // in x, y, the weights and the mask

  // Which elements an answer has, and its place in the outputs.
  struct Range {
    Size begin, end, place;
    Steps at;  // from the arrays' and the mask's first element to those of the answer's slice
    Size size() const { return end - begin; }
  };

  const backend::Job& job;
  Axis answer, element;  // the last kept axis, and the last folded one
  std::vector<Axis> outer_kept, outer_folded;

  explicit WeightedLoops(const backend::Job& of) : job(of) {
    for (const Axis& a : job.plan.weighted->axes) {
      (a.folded ? outer_folded : outer_kept).push_back(a);
    }
    take_last(outer_kept, answer);
    take_last(outer_folded, element);
  }

  static Steps sum(Steps a, const Steps& b) {
    for (std::size_t k = 0; k < 4; ++k) a[k] += b[k];
    return a;
  }
  static Steps along(const Axis& a, Size n) {
    Steps s;
    for (std::size_t k = 0; k < 4; ++k) s[k] = a.stride[k] * static_cast<int64_t>(n);
    return s;
  }

  Size segments() const { return job.segments == nullptr ? 1 : job.segments->count; }
  Range range(Size number) const {
    const Size slices = job.plan.answers / segments(), segment = number / slices,
               slice = number % slices;
    Range r{0, job.plan.elements, segment * slices, {0, 0, 0, job.plan.weighted->mask}};
    if (job.segments != nullptr) {
      const auto* const offset = static_cast<const int64_t*>(job.segments->offsets) + segment;
      r.begin = static_cast<Size>(offset[0]);
      r.end = static_cast<Size>(offset[1]);
    }
    const Size last = slice % answer.extent;
    Size outer = slice / answer.extent;
    r.at = sum(sum(r.at, steps_to(outer_kept, outer)), along(answer, last));
    r.place += last * static_cast<Size>(answer.step);
    for (std::size_t k = outer_kept.size(); k-- > 0; outer /= outer_kept[k].extent) {
      r.place += outer % outer_kept[k].extent * static_cast<Size>(outer_kept[k].step);
    }
    return r;
  }
  // The steps to an element of a slice.
  Steps to_element(Size i) const {
    return sum(steps_to(outer_folded, i / element.extent), along(element, i % element.extent));
  }
  // Calls f(at, e, m) for each run of elements [i, i + n) along the last folded axis: where it
  // begins, how many elements come before it, and how many it has.
  template <class F>
  void each_run(const Steps& from, Size i, Size n, F f) const {
    for (Size e = 0; e < n;) {
      const Size m = std::min(n - e, element.extent - (i + e) % element.extent);
      f(sum(from, to_element(i + e)), e, m);
      e += m;
    }
  }
  // Whether the mask, if there is one, takes the element of a unit.
  bool takes(int64_t unit) const {
    const Selector& by = job.plan.where;
    if (!by.selects()) return true;
    if (by.by == Selector::By::bytes) return by.data[unit] != std::byte{0};
    return (std::to_integer<int>(by.data[unit >> 3]) >> (unit & 7) & 1) != 0;
  }

 private:
  static void take_last(std::vector<Axis>& axes, Axis& to) {
    if (axes.empty()) return;
    to = axes.back();
    axes.pop_back();
  }
  static Steps steps_to(std::span<const Axis> axes, Size i) {
    Steps s{};
    for (std::size_t k = axes.size(); k-- > 0; i /= axes[k].extent) {
      s = sum(s, along(axes[k], i % axes[k].extent));
    }
    return s;
  }
};

}  // namespace onefold::cpu_backend
