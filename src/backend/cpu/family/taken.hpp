// Panels without what a mask or a policy leaves out: copies that have what changes no answer there.
#pragma once

#include <algorithm>
#include <memory>

#include "backend/cpu/family/shape.hpp"
#include "backend/cpu/taken_panel.hpp"
#include "plan/plan.hpp"

namespace onefold::cpu_backend {

// Steps along the element axis at a time, of copies of columns: those stay in L1, and their counts
// in a byte.
inline Size taken_steps(Size answers, Size most) {
  return std::clamp<Size>((Size{1} << 14) / answers, 1, std::min<Size>(most, 127));
}

// What a plan leaves out.
class Leaving {
 public:
  Leaving(const Plan& plan, Target target);
  // Elements that a mask names; others may be left out for their values, once it is known that
  // there are any.
  bool by_mask() const { return where_.selects(); }
  bool anything() const { return by_mask() || nan_; }

  // Bits that change no sum of what `name` says, and no extreme.
  uint64_t neutral(Recipe::Name name) const;

  // A panel whose elements lie side by side, without what is left out.
  class Taken {
   public:
    //   fill   bits in place of what is left out
    //   widen  f32 become f64
    //   taken  += how many are, by answer; answers from `wrap` on are the first again
    Taken(const Leaving&, const Panel&, bool columns, uint64_t fill, bool widen, Size* taken,
          Size wrap);
    Panel panel;

   private:
    std::unique_ptr<std::byte[]> memory_, mask_;
    std::unique_ptr<double[]> wide_;
  };

 private:
  DType dtype_;
  Selector where_;
  bool nan_;
  const TakenWays* ways_;
};

}  // namespace onefold::cpu_backend
