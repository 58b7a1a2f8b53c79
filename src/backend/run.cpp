#include "backend/run.hpp"

#include <vector>

#include "backend/cpu/run.hpp"
#include "backend/cuda/run.hpp"

namespace onefold::backend {

void run(const Plan& plan, const void* x, const void* y,
         const std::function<void(Size answer, const int64_t* state)>& done) {
  if (plan.device.type != Device::Type::cuda) return cpu_backend::run(plan, x, y, done);
  std::vector<int64_t> state(static_cast<std::size_t>(plan.layout.words));
  clear(state.data(), plan.layout, plan.dtype);
  cuda_backend::gather(plan, x, y, state.data());
  done(0, state.data());
}

void gather(const Plan& plan, const void* x, const void* y, Size begin, Size end, int64_t* states) {
  if (plan.device.type != Device::Type::cuda) {
    return cpu_backend::gather(plan, x, y, begin, end, states);
  }
  if (begin != end) cuda_backend::gather(plan, x, y, states);
}

}  // namespace onefold::backend
