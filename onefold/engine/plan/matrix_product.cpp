#include "onefold/engine/plan/matrix_product.hpp"

namespace onefold {

std::optional<MatrixProduct> matrix_product_of(const Plan& plan) {
  if (plan.inputs != 2 || plan.ops.size() != 1 || plan.needs != Accumulators(Accumulator::dot) ||
      plan.where.selects() || plan.weighted != nullptr || plan.initial || plan.nest.repeats != 1) {
    return {};
  }
  MatrixProduct m;
  int rows = 0, columns = 0, inner = 0;
  Size place = plan.answers;  // answers of the nest in all axes that are not slower
  for (const Axis& a : plan.nest.axes) {
    if (a.folded) {
      m.inner = a;
      ++inner;
      continue;
    }
    place /= a.extent;
    if (a.stride[0] != 0 && a.stride[1] == 0) {
      m.row = a;
      m.row_place = place;
      ++rows;
    } else if (a.stride[0] == 0 && a.stride[1] != 0) {
      m.column = a;
      m.column_place = place;
      ++columns;
    } else {
      m.batch.push_back(a);
      m.batch_place.push_back(place);
    }
  }
  if (rows != 1 || columns != 1 || inner != 1) return {};
  return m;
}

}  // namespace onefold
