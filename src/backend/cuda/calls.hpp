// Helpers of the backend's calls: find out where data are, turn the driver's errors into ours, hold
// temporary memory.
#pragma once

#include <string>

#include "backend/cuda/engine.hpp"
#include "jit/nccl.hpp"
#include "plan/plan.hpp"

namespace onefold::cuda_backend {

// Elements of host data that travel at once, where they do not go by lanes.
inline constexpr std::size_t piece_bytes = std::size_t{64} << 20;

inline uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

// Whether the plan's device holds what `p` points to; refuses memory of another one.
bool is_here(const Plan& plan, const void* p, const std::string& what);

// The first elements of a nest's walk: of the arrays, and of the mask.
struct Arrays {
  const std::byte *x, *y, *mask;
  Arrays(const Plan& plan, const Nest& nest, const void* a, const void* b)
      : x(static_cast<const std::byte*>(a)), y(static_cast<const std::byte*>(b)) {
    if (x != nullptr) x += nest.origin[0];
    y = plan.inputs == 2 && y != nullptr ? y + nest.origin[1] : nullptr;
    mask = plan.where.selects() ? plan.where.data + nest.origin[2] : nullptr;
  }
};
// The same for arrays on a device, as addresses.
struct Addresses {
  uint64_t x = 0, y = 0, mask = 0;
  Addresses() = default;
  explicit Addresses(const Arrays& a) : x(address(a.x)), y(address(a.y)), mask(address(a.mask)) {}
};

// The same for the arrays and the mask: if the caller says that they are on the device, they must
// be there; and all of them must be, or none.
bool arrays_are_here(const Plan& plan, const Arrays& arrays);

// Throws what the driver says as one of our errors.
[[noreturn]] void fail(const Plan& plan, const jit::CudaError& e);
template <class F>
auto checked(const Plan& plan, F&& f) {
  try {
    return f();
  } catch (const jit::CudaError& e) {
    fail(plan, e);
  } catch (const jit::NcclError& e) {
    throw Error(ErrorCode::peer_failed, names_of(plan.ops) + ": " + e.what());
  }
}

// The stream to use for device data: CUDA's default, where none is given.
void* stream_of(const Plan& plan);
// Refuses streams where something is waited for: one that is captured, or any for data of the host.
void refuse_capture(Engine& engine, const Plan& plan, void* stream);
void refuse_stream(const Plan& plan);

// Memory on the device for a while.
class Piece {
 public:
  Piece(jit::Gpu& gpu, std::size_t bytes) : gpu_(gpu), address_(gpu.allocate(bytes)) {}
  ~Piece() {
    try {
      gpu_.free(address_);
    } catch (const jit::CudaError&) {  // the device is lost, and the memory with it
    }
  }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  uint64_t address() const { return address_; }

 private:
  jit::Gpu& gpu_;
  uint64_t address_;
};

// The bytes from a nest's lowest element to the end of its highest one, in one of its inputs; the
// third is the mask.
struct Span {
  int64_t low = 0;  // the first byte, counted from the beginning of the input
  Size bytes = 0;
  Span(const Nest& nest, int input);
};

// Copies of a nest's arrays while it lives, on the device; `at`: where the walk begins.
class OnDevice {
 public:
  OnDevice(Engine& engine, const Plan& plan, const Nest& nest, const void* x, const void* y);
  Addresses at;

 private:
  Piece memory_;
};

}  // namespace onefold::cuda_backend
