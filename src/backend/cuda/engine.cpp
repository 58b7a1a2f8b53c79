#include "backend/cuda/engine.hpp"

#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

std::unique_ptr<jit::Gpu> open(int index) {
  const jit::Driver& driver = jit::Driver::get();
  const std::string name = "device \"cuda:" + std::to_string(index) + "\" was asked for, but ";
  if (!driver.usable()) {
    throw Error(ErrorCode::no_backend, name + driver.why() + "; or use --device cpu");
  }
  if (index < 0 || index >= driver.devices()) {
    throw Error(ErrorCode::no_backend, name + "there are " + std::to_string(driver.devices()) +
                                           " devices; legal are 0.." +
                                           std::to_string(driver.devices() - 1));
  }
  try {
    return std::make_unique<jit::Gpu>(index);
  } catch (const jit::CudaError& e) {
    throw Error(ErrorCode::no_backend, name + "it cannot be opened: " + e.what());
  }
}

}  // namespace

Engine::Engine(int index) : gpu_(open(index)), kernels_(*gpu_) {}

Engine& Engine::of(int index) {
  static std::mutex mutex;
  // Never destroyed: at the end of the process the driver may be gone already.
  static auto& engines = *new std::map<int, std::unique_ptr<Engine>>;
  const std::lock_guard lock(mutex);
  auto& engine = engines[index];
  if (engine == nullptr) engine.reset(new Engine(index));
  return *engine;
}

Engine::Borrowed Engine::borrow() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      auto w = std::move(free_.back());
      free_.pop_back();
      return {*this, std::move(w)};
    }
  }
  auto w = std::make_unique<Workspace>();
  constexpr std::size_t counters = 256;
  constexpr std::size_t words = std::size_t{kernel::replicas} * Workspace::most_words * 8;
  constexpr std::size_t blocks = std::size_t{Workspace::most_blocks} * kernel::block_words * 8;
  const uint64_t memory = gpu_->allocate(counters + words + blocks);
  gpu_->fill(memory, 0, counters + words);
  gpu_->synchronize();
  w->device = {.counters = memory, .words = memory + counters, .blocks = memory + counters + words};
  w->state = static_cast<int64_t*>(gpu_->allocate_pinned(Workspace::most_words * 8));
  return {*this, std::move(w)};
}

void Engine::give_back(std::unique_ptr<Workspace> w) {
  if (w == nullptr) return;
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(w));
}

}  // namespace onefold::cuda_backend
