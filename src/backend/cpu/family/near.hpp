// Gives a panel contiguous elements: the array's own, or copies if neither axis of the panel is
// contiguous. Elements that a mask or the NaN policy leaves out are replaced in the copy by a value
// that changes no answer.
#pragma once

#include <algorithm>
#include <memory>

#include "backend/cpu/family/shape.hpp"
#include "backend/cpu/select.hpp"
#include "plan/plan.hpp"

namespace onefold::cpu_backend {

// Steps along the element axis at a time, of copies of columns: those stay in L1, and their counts
// in a byte.
inline Size taken_steps(Size answers, Size most) {
  return std::clamp<Size>((Size{1} << 14) / answers, 1, std::min<Size>(most, 255));
}

// The elements that a plan leaves out.
struct Leaving {
  explicit Leaving(const Plan& plan)
      : dtype(plan.dtype),
        where(plan.where),
        nan(plan.nan == NanPolicy::omit && is_floating(plan.dtype)),
        ways(select_ways(find_target(plan.target))) {}
  // Elements that a mask names; others may be left out for their values, once it is known that
  // there are any.
  bool by_mask() const { return where.selects(); }
  bool anything() const { return by_mask() || nan; }

  // Bits that change no sum of what `name` says, and no extreme.
  uint64_t neutral(Recipe::Name name) const;

  const DType dtype;
  const Selector where;
  const bool nan;
  const SelectWays& ways;
};

class NearPanel {
 public:
  NearPanel(const Shape& s, Size bytes, int inputs, const Panel& p);
  // Leaves out of the first input.
  //   fill   bits in place of what is left out
  //   widen  f32 become f64
  //   taken  += how many are, by answer; answers from `wrap` on are the first again
  void leave_out(const Leaving&, uint64_t fill, bool widen, Size* taken, Size wrap);
  Panel panel;

 private:
  void read_mask(Selection& s, const Leaving&, Size at, Size n) const;

  const bool columns_;
  const Size outer_, inner_;  // runs of neighbours, and their length
  std::unique_ptr<std::byte[]> memory_, memory_y_;
};

}  // namespace onefold::cpu_backend
