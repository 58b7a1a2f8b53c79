#include "onefold/engine/plan/matrix_product.hpp"

namespace onefold {

Size MatrixProduct::batches() const {
  Size n = 1;
  for (const Axis& a : batch_axes) n *= a.extent;
  return n;
}
MatrixProduct::Place MatrixProduct::batch(Size i) const {
  Place p;
  for (std::size_t d = batch_axes.size(); d-- > 0;) {
    const Axis& a = batch_axes[d];
    const Size k = i % a.extent;
    const auto n = static_cast<int64_t>(k);
    p.x += n * a.stride[0];
    p.y += n * a.stride[1];
    p.answer += n * a.step;
    p.place += k * batch_place[d];
    i /= a.extent;
  }
  return p;
}

std::optional<MatrixProduct> matrix_product_of(const Plan& plan, bool repeats) {
  if (plan.inputs != 2 || plan.ops.size() != 1 || plan.needs != Accumulators(Accumulator::dot) ||
      plan.where.selects() || plan.weighted != nullptr || plan.initial || plan.nest.repeats != 1) {
    return {};
  }
  MatrixProduct m;
  int inner = 0;
  Size place = plan.answers;  // answers of the nest in all axes that are not slower
  for (const Axis& a : plan.nest.axes) {
    if (a.folded) {
      m.inner = a;
      ++inner;
      continue;
    }
    place /= a.extent;
    const bool of_row = a.stride[0] != 0 && a.stride[1] == 0,
               of_column = a.stride[0] == 0 && a.stride[1] != 0;
    Axis& axis = of_row ? m.row : m.column;
    Size& axis_place = of_row ? m.row_place : m.column_place;
    if ((of_row || of_column) && (axis.extent == 0 || repeats)) {
      // The longest axis so far; the one before belongs to the batch.
      const bool longer = a.extent > axis.extent;
      const Axis other = longer ? axis : a;
      const Size other_place = longer ? axis_place : place;
      if (longer) {
        axis = a;
        axis_place = place;
      }
      if (other.extent == 0) continue;
      m.batch_axes.push_back(other);
      m.batch_place.push_back(other_place);
    } else if (of_row || of_column) {
      return {};
    } else {
      m.batch_axes.push_back(a);
      m.batch_place.push_back(place);
    }
  }
  if (m.row.extent == 0 || m.column.extent == 0 || inner != 1) return {};
  return m;
}

LentMemory& lent_memory() {
  thread_local LentMemory lent;
  return lent;
}

}  // namespace onefold
