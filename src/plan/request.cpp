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

}  // namespace onefold
