// Answers of many slices by quick numbers, without a state of each.
#pragma once

#include <vector>

#include "onefold/cpu/family/few.hpp"
#include "onefold/engine/backend/backend.hpp"
#include "onefold/engine/group/state_table.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold {

class SliceAnswers {
 public:
  static constexpr Size block = 256;  // slices that are rounded at once

  //   plan    the plan by which states would be answered
  //   slices  outlives this
  SliceAnswers(const Plan& plan, const StateTable& slices);
  // Rounds the ops of at most `block` slices that have sums of floating-point elements.
  //   to    for each op, the addresses of all answers
  //   done  becomes 0 for a slice if the rounding of some answer is not proven, otherwise 1
  void round(Size first, Size n, const std::vector<backend::Output>& to, uint8_t* done) const;

 private:
  // Adds up the digits of a sum of each slice, as f64.
  void add_digits(const RowShape::Limbs& limbs, Size first, Size n,
                  cpu_backend::PanelTotals& totals, cpu_backend::PanelTotals& more) const;
  // Returns the number of elements of a slice; 0: it has NaN, infinities, or no elements.
  Size elements_of(Size slice) const;

  const Plan& plan_;
  const StateTable& slices_;
  const RowShape shape_;
  std::vector<cpu_backend::Few> ops_;  // none: exact words answer
  std::vector<RowShape::Limbs> sums_;  // those whose digits are within reach of f64
};

}  // namespace onefold
