#include "onefold/engine/plan/query.hpp"

#include <algorithm>

#include "onefold/engine/plan/plan.hpp"

namespace onefold {

bool Query::two_arrays() const {
  return std::any_of(ops.begin(), ops.end(),
                     [](const OpRow* op) { return op->about->inputs == 2; });
}

bool Query::indexed() const {
  return std::any_of(ops.begin(), ops.end(), [](const OpRow* op) { return op->about->uses_index; });
}

Query Query::with(const Axes& axes) const {
  Query r = *this;
  r.options.axes = axes;
  return r;
}

Accumulators needs_of_text(const OpRow& op) {
  const Accumulators needs = op.about->needs;
  if (!needs.has(Accumulator::sum)) return needs;
  const bool total = needs == (Accumulator::sum | Accumulator::tally);
  return (total ? Accumulator::tally : needs) | Accumulator::decimal;
}

bool Query::takes_any_digits() const {
  const Accumulators any = Accumulator::decimal | Accumulator::tally | Accumulator::zeros;
  return std::all_of(ops.begin(), ops.end(),
                     [&](const OpRow* op) { return needs_of_text(*op).within(any); });
}

Plan Query::plan(const ArrayRef& x, const ArrayRef* y) const {
  Plan plan = make_plan(ops, x, y, options);
  if (decimals && plan.dtype == DType::f64 && plan.needs.has(Accumulator::sum)) {
    plan.needs = {};
    for (const OpRow* op : ops) plan.needs = plan.needs | needs_of_text(*op);
    plan.layout = layout_of(plan.needs, plan.dtype);
  }
  return plan;
}

}  // namespace onefold
