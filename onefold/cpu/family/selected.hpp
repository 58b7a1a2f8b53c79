// Answers of the elements that a mask selects, or a NaN policy leaves: their number differs from
// answer to answer, and so do their formulas.
#pragma once

#include <vector>

#include "onefold/cpu/family/request.hpp"
#include "onefold/cpu/family/room.hpp"

namespace onefold::cpu_backend {

// Totals of the selected elements, and the number of these per answer.
struct SelectedTotals {
  explicit SelectedTotals(Size answers) : room(answers), n(answers) {}
  TotalsMemory room;
  std::vector<Size> n;
};

// Rounds those of the first n answers that are not decided, and marks them in `decided` if they
// are now.
void round_selected(const Plan& plan, const SumAnswer& op, const SelectedTotals& selected, Size n,
                    std::byte* to, uint8_t* decided);

}  // namespace onefold::cpu_backend
