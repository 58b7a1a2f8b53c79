#include "plan/request.hpp"

#include <algorithm>

namespace onefold {

bool Request::two_arrays() const {
  return std::any_of(ops.begin(), ops.end(),
                     [](const OpRow* op) { return op->about->inputs == 2; });
}

bool Request::indexed() const {
  return std::any_of(ops.begin(), ops.end(), [](const OpRow* op) { return op->about->uses_index; });
}

Request Request::with(const Axes& axes) const {
  Request r = *this;
  r.options.axes = axes;
  return r;
}

Plan Request::plan(const ArrayRef& x, const ArrayRef* y) const {
  Plan plan = make_plan(ops, x, y, options);
  if (decimals && plan.dtype == DType::f64 && plan.needs.has(Accumulator::sum)) {
    plan.needs = plan.needs | Accumulator::decimal;
    plan.layout = layout_of(plan.needs, plan.dtype);
  }
  return plan;
}

}  // namespace onefold
