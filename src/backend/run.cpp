#include "backend/run.hpp"

#include <cstring>
#include <vector>

#include "backend/cpu/run.hpp"
#include "backend/cuda/run.hpp"

namespace onefold::backend {

void run(const Plan& plan, const void* x, const void* y,
         const std::function<void(Size answer, const int64_t* state)>& done, std::byte* straight) {
  if (plan.device.type != Device::Type::cuda) return cpu_backend::run(plan, x, y, done, straight);
  std::vector<int64_t> state(static_cast<std::size_t>(plan.layout.words));
  clear(state.data(), plan.layout, plan.dtype);
  cuda_backend::gather(plan, plan.nest, x, y, state.data());
  done(0, state.data());
}

bool queue(const Plan& plan, const void* x, const void* y, std::span<const Output> outputs) {
  if (plan.device.type != Device::Type::cuda) return false;
  std::vector<cuda_backend::Output> to;
  for (const Output& o : outputs) to.push_back({o.data, o.status});
  return cuda_backend::queue(plan, x, y, to);
}

void write(const Plan& plan, void* to, const void* from, std::size_t bytes) {
  if (plan.device.type == Device::Type::cuda) return cuda_backend::write(plan, to, from, bytes);
  if (bytes != 0) std::memcpy(to, from, bytes);
}

void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states) {
  const bool on_device = plan.device.type == Device::Type::cuda;
  (on_device ? cuda_backend::gather : cpu_backend::gather)(plan, nest, x, y, states);
}

}  // namespace onefold::backend
