#include "onefold/cpu/run.hpp"
#include "onefold/cuda/run.hpp"
#include "onefold/engine/backend/backend.hpp"

namespace onefold::backend {

std::span<const Backend* const> backends() {
  static constexpr const Backend* list[] = {&cpu_backend::backend, &cuda_backend::backend};
  return list;
}

}  // namespace onefold::backend
