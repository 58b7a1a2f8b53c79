// Gives a panel contiguous elements: the array's own if one axis of the panel is contiguous, else a
// copy, which is laid out by columns if rows are short. Elements that a mask or the NaN policy
// leaves out are replaced in the copy by a value that changes no answer.
#pragma once

#include <algorithm>
#include <memory>

#include "onefold/cpu/family/shape.hpp"
#include "onefold/cpu/select.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::cpu_backend {

// The number of steps along the element axis that are copied at a time. A copy of columns stays in
// L1, and its counts fit one byte each.
inline Size taken_steps(Size answers, Size most) {
  return std::clamp<Size>((Size{1} << 14) / answers, 1, std::min<Size>(most, 255));
}

// Which elements a plan leaves out.
struct ElementFilter {
  explicit ElementFilter(const Plan& plan)
      : dtype(plan.dtype),
        where(plan.where),
        nan(plan.nan == NanPolicy::omit && is_floating(plan.dtype)),
        ways(select_ways(find_target(plan.target))) {}
  // True if a mask selects elements. NaN may be left out too, by their values, once some are found.
  bool by_mask() const { return where.selects(); }
  bool anything() const { return by_mask() || nan; }

  // Returns bits that change neither a sum of recipe `of` nor an extreme.
  uint64_t neutral(Statistic of) const;

  const DType dtype;
  const Selector where;
  const bool nan;
  const SelectWays& ways;
};

class NearPanel {
 public:
  NearPanel(const Shape& s, Size bytes, int inputs, const Panel& p);
  // Copies the first input without the elements that are left out.
  //   fill   the bits that replace them
  //   widen  converts f32 to f64
  //   taken  each answer's number of selected elements is added to it. Columns a and a + wrap
  //          belong to one answer
  void leave_out(const ElementFilter&, uint64_t fill, bool widen, Size* taken, Size wrap);
  Panel panel;

 private:
  void read_mask(Selection& s, const ElementFilter&, Size at, Size n) const;

  const bool columns_;
  const Size outer_, inner_;  // number of contiguous runs, and their length
  std::unique_ptr<std::byte[]> memory_, memory_y_;
};

}  // namespace onefold::cpu_backend
