#include "onefold/engine/request/sorted_groups.hpp"

#include <memory>

#include "onefold/cpu/labels.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/group/group_plan.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/weighted.hpp"
#include "onefold/engine/request/folds.hpp"
#include "onefold/engine/request/weights.hpp"

namespace onefold {

bool needs_sorting(const ArrayRef* y, const Options& o) {
  return y != nullptr || o.where || o.weights || o.fweights;
}

Plan check_sorted(const Query& query, const ArrayRef& x, const ArrayRef* y) {
  const Options& options = query.options;
  check_groups(query, {.pairs = y != nullptr || options.weights, .sorted = true});
  Plan plan = backend::checked(plan_any(query.names(), x, y, options));
  if (!options.fweights) return plan;
  // Counts of elements are checked here, so that errors number them as they were given.
  Options here = options;
  here.device = cpu;
  count_repeated(plan_any(query.names(), x, y, here), x, here);
  return plan;
}

Answers fold_sorted(const Query& query, std::vector<uint32_t>& numbers, Size groups,
                    const ArrayRef& x, const ArrayRef* y) {
  const std::string ops = query.names();
  Options options = query.options;
  backend::Labels labels{.data = numbers.data(),
                         .type = DType::u32,
                         .groups = groups,
                         .stride = sizeof numbers[0],
                         .refuse = {}};
  auto order = std::make_unique<cpu_backend::LabelOrder>(labels, numbers.size());
  const auto fold = [&](const ArrayRef& a, const ArrayRef* b) {
    const ArrayRef offsets(order->offsets().data(), DType::i64, Dims(groups + 1));
    return fold_segments(ops, a, b, offsets, options);
  };
  if (order->rises()) return fold(x, y);
  if (options.where) {  // elements that are left out form a last group, which is not folded
    const int64_t step = mask_strides(x, *options.where, ops)[0];
    for (Size i = 0; i < numbers.size(); ++i) {
      if (!takes(*options.where, static_cast<int64_t>(i) * step)) {
        numbers[i] = static_cast<uint32_t>(groups);
      }
    }
    options.where.reset();
    ++labels.groups;
    order = std::make_unique<cpu_backend::LabelOrder>(labels, numbers.size());
  }
  std::vector<std::unique_ptr<std::byte[]>> memory;
  const auto sort = [&](const ArrayRef& a) {
    const int64_t stride = broadcast_strides(x, a, "the weights", ops)[0];
    memory.push_back(order->sort(a.data, stride, bytes_of(a.dtype)));
    return ArrayRef(memory.back().get(), a.dtype, Dims(order->offsets()[groups]));
  };
  if (options.weights) options.weights = sort(*options.weights);
  if (options.fweights) options.fweights = sort(*options.fweights);
  const ArrayRef elements = sort(x);
  if (y == nullptr) return fold(elements, nullptr);
  const ArrayRef second = sort(*y);
  return fold(elements, &second);
}

}  // namespace onefold
