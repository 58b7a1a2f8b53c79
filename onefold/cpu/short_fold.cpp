#include "onefold/cpu/short_fold.hpp"

#include <algorithm>

#include "onefold/system/floating_point.hpp"

namespace onefold::cpu_backend {

template <class T, SmallFold<T>* fold>
bool ShortFold::quickly(const void* x, Size n, uint64_t* bits) {
  T v;
  if (!fold(static_cast<const T*>(x), n, &v)) return false;
  *bits = bit_cast<bits_of<T>>(v);
  return true;
}
template <class T>
ShortFold::Quick* ShortFold::quick_way(std::string_view op) {
  if (op == "sum") return quickly<T, quick_sum<T>>;
  return op == "mean" ? quickly<T, quick_mean<T>> : nullptr;
}

ShortFold::ShortFold(const Plan& plan)
    : plan_(plan),
      gatherer_(plan_, choose_feeds(find_target({}), plan.dtype, plan.needs.basic())),
      empty_(static_cast<Size>(plan.layout.words)),
      state_(empty_.size()),
      gathered_(gathered_of(plan_, state_.data())) {
  clear(empty_.data(), plan_.layout, plan_.dtype);
  if (plan_.ops.size() != 1) return;
  const OpRow& op = *plan_.ops[0];
  if (plan_.results[0] == plan_.dtype) {
    if (plan_.dtype == DType::f64) quick_ = quick_way<double>(op.name);
    if (plan_.dtype == DType::f32) quick_ = quick_way<float>(op.name);
  }
  few_ = Few(op, plan_.dtype, plan_.results[0]);
}

void ShortFold::fold_by_state(const void* x, const void* y, Size n, Value* out) {
  const FloatingPointMode mode;
  std::copy(empty_.begin(), empty_.end(), state_.begin());
  gatherer_.open(state_.data());
  gatherer_.run({static_cast<const std::byte*>(x), static_cast<const std::byte*>(y)}, n, 0);
  gatherer_.close();
  const DType* to = plan_.results.data();
  for (const OpRow* const op : plan_.ops) {
    const Rounded r = round(op->finish(gathered_), *to);
    *out++ = {.dtype = *to++, .status = r.status, .bits = r.bits};
  }
}

}  // namespace onefold::cpu_backend
