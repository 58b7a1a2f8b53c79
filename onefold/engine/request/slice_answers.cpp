// Rounds many slices at once: the digits of their sums become totals of a few f64 each, which
// vector code rounds as it does those of panels. By a state, a formula and exact rounding a slice
// took 0.2 us.
#include "onefold/engine/request/slice_answers.hpp"

#include <algorithm>
#include <cmath>

#include "onefold/cpu/family/room.hpp"
#include "onefold/engine/plan/table.hpp"

namespace onefold {

using cpu_backend::PanelTotals;

namespace {

// Returns which total holds a sum; `origin` if no total does.
PanelTotals::Word word_of(Accumulator a) {
  if (a == Accumulator::sum) return PanelTotals::high;
  return a == Accumulator::sumsq ? PanelTotals::square : PanelTotals::origin;
}

}  // namespace

SliceAnswers::SliceAnswers(const Plan& plan, const StateTable& slices)
    : plan_(plan), slices_(slices), shape_(slices.shape()) {
  // If decimals are held, they replace the sum (gathered.hpp).
  const bool decimals = plan.layout.offset[static_cast<int>(Accumulator::decimal)] >= 0;
  if (plan.initial || decimals || shape_.n < 0) return;
  for (const RowShape::Limbs& sum : shape_.limbs) {
    if (word_of(sum.accumulator) == PanelTotals::origin || sum.digits == 0) continue;
    const int lowest = unit_of_sum(sum.accumulator, plan.dtype) + 32 * sum.lowest;
    // The last limb of a state is not below 2^32.
    if (sum.top || lowest < -1074 || lowest + 32 * sum.digits > 1000) continue;
    sums_.push_back(sum);
  }
  for (std::size_t k = 0; k < plan.ops.size() && !sums_.empty(); ++k) {
    ops_.emplace_back(*plan.ops[k], plan.dtype, plan.results[k]);
    if (ops_.back() && ops_.back().takes_sums()) continue;
    ops_.clear();
    return;
  }
}

Size SliceAnswers::elements_of(Size slice) const {
  const int64_t* const row = slices_.words().data() + slice * slices_.used().size();
  for (const int slot : shape_.not_numbers) {
    if (row[slot] != 0) return 0;
  }
  return static_cast<Size>(row[shape_.n]);
}

void SliceAnswers::add_digits(const RowShape::Limbs& sum, Size first, Size n, PanelTotals& totals,
                              PanelTotals& more) const {
  const PanelTotals::Word to = word_of(sum.accumulator);
  const Size width = slices_.used().size();
  const int lowest = unit_of_sum(sum.accumulator, plan_.dtype) + 32 * sum.lowest;
  std::fill_n(totals.word[to], n, -0.0);
  totals.used |= 1u << to;
  // Three digits of 32 bits make a number of three f64
  for (int top = sum.digits - 1; top >= 0; top -= 3) {
    more.used = 0;
    for (int k = 0; k < 3 && k <= top; ++k) {
      const double scale = std::ldexp(1.0, lowest + 32 * (top - k));
      const int64_t* digit = slices_.words().data() + first * width + sum.slot + top - k;
      double* const word = more.word[to + k];
      for (Size i = 0; i < n; ++i, digit += width) word[i] = static_cast<double>(*digit) * scale;
      more.used |= 1u << (to + k);
    }
    cpu_backend::add_totals(totals, more, n);
  }
}

void SliceAnswers::round(Size first, Size n, const std::vector<backend::Output>& to,
                         uint8_t* done) const {
  std::fill_n(done, n, ops_.empty() ? 0 : 1);
  if (ops_.empty()) return;
  const cpu_backend::FlagsGuard mode;
  cpu_backend::TotalsMemory room(block), more(block);
  PanelTotals& totals = room.totals;
  totals.used = 0;
  for (const RowShape::Limbs& sum : sums_) add_digits(sum, first, n, totals, more.totals);
  uint8_t decided[block];
  for (Size i = 0, end = 0; i < n; i = end) {
    const Size elements = elements_of(first + i);
    for (end = i + 1; end < n && elements_of(first + end) == elements;) ++end;
    for (std::size_t k = 0; k < ops_.size(); ++k) {
      std::fill_n(decided, end - i, 0);
      if (elements != 0) {
        ops_[k].round(
            totals.at(i), end - i, elements, plan_.nan, plan_.correction,
            static_cast<std::byte*>(to[k].data) + (first + i) * bytes_of(plan_.results[k]),
            decided);
      }
      for (Size j = i; j < end; ++j) done[j] &= decided[j - i];
    }
  }
}

}  // namespace onefold
