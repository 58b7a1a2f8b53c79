#include "backend/cuda/run.hpp"

#include <algorithm>

#include "backend/cuda/launch.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

// Elements of host data that travel at once.
constexpr std::size_t piece_bytes = std::size_t{64} << 20;

// Folds what is on the device and waits for the state.
void fold(Engine& engine, const Plan& plan, uint64_t x, uint64_t y, Size n, Size first,
          Workspace& workspace, int64_t* state) {
  Launched(engine, plan, x, y, n, first, workspace).queue(nullptr);
  engine.gpu().synchronize();
  canonicalise(workspace.state, plan.layout, plan.dtype);
  merge(state, workspace.state, plan.layout, plan.dtype);
}

void gather(Engine& engine, const Plan& plan, const void* x, const void* y, int64_t* state) {
  const jit::Gpu::Current current(engine.gpu());
  Engine::Borrowed workspace = engine.borrow();
  const auto address = [](const void* p) { return reinterpret_cast<uint64_t>(p); };
  const auto is_device = [](const void* p) {
    return jit::whereabouts(p).place == jit::Place::device;
  };
  try {
    if (is_device(x) && (y == nullptr || is_device(y))) {
      fold(engine, plan, address(x), address(y), plan.elements, plan.first, *workspace, state);
      return;
    }
    const std::size_t bytes = bytes_of(plan.dtype);
    const Size most = piece_bytes / bytes, inputs = y == nullptr ? 1 : 2;
    const Size piece = std::min(most, plan.elements);
    const uint64_t memory = engine.gpu().allocate(inputs * piece * bytes);
    for (Size i = 0; i < plan.elements; i += piece) {
      const Size n = std::min(piece, plan.elements - i);
      engine.gpu().copy_in(memory, static_cast<const std::byte*>(x) + i * bytes, n * bytes);
      if (y != nullptr) {
        engine.gpu().copy_in(memory + piece * bytes, static_cast<const std::byte*>(y) + i * bytes,
                             n * bytes);
      }
      fold(engine, plan, memory, memory + piece * bytes, n, plan.first + i, *workspace, state);
    }
    engine.gpu().free(memory);
  } catch (const jit::CudaError&) {
    workspace.drop();
    throw;
  }
}

}  // namespace

void gather(const Plan& plan, const void* x, const void* y, int64_t* state) {
  Engine& engine = Engine::of(plan.device.index);
  if (plan.elements == 0) return;
  const auto at = [&](const void* p, int64_t origin) {
    return p == nullptr ? nullptr : static_cast<const std::byte*>(p) + origin;
  };
  try {
    gather(engine, plan, at(x, plan.origin), plan.inputs == 2 ? at(y, plan.origin_y) : nullptr,
           state);
  } catch (const jit::CudaError& e) {
    constexpr int out_of_memory = 2;
    throw Error(e.code() == out_of_memory ? ErrorCode::out_of_memory : ErrorCode::device_failed,
                "device cuda:" + std::to_string(plan.device.index) + ": " + e.what());
  }
}

}  // namespace onefold::cuda_backend
