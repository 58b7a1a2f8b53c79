// Helpers of the backend's calls: find out where data are, turn the driver's errors into ours, hold
// temporary memory.
#pragma once

#include <string>

#include "onefold/cuda/engine.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/system/jit/nccl.hpp"

namespace onefold::cuda_backend {

// Bytes of host data that are copied at once, if copy lanes (lanes.hpp) do not copy them.
inline constexpr std::size_t piece_bytes = std::size_t{64} << 20;

inline uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

// Returns whether `p` is in the memory of the plan's device; refuses memory of another device.
bool is_here(const Plan& plan, const void* p, const std::string& what);

// Addresses of the first elements of a nest, in each array and in the mask.
struct Arrays {
  const std::byte *x, *y, *mask;
  Arrays(const Plan& plan, const Nest& nest, const void* a, const void* b)
      : x(static_cast<const std::byte*>(a)), y(static_cast<const std::byte*>(b)) {
    if (x != nullptr) x += nest.origin[0];
    y = plan.inputs == 2 && y != nullptr ? y + nest.origin[1] : nullptr;
    mask = plan.where.selects() ? plan.where.data + nest.origin[2] : nullptr;
  }
};
// The same as device addresses.
struct Addresses {
  uint64_t x = 0, y = 0, mask = 0;
  Addresses() = default;
  explicit Addresses(const Arrays& a) : x(address(a.x)), y(address(a.y)), mask(address(a.mask)) {}
};

// Returns whether the arrays and the mask are on the device. Throws if only some of them are, or if
// the caller has said otherwise.
bool arrays_are_here(const Plan& plan, const Arrays& arrays);

// Throws one of our errors with the driver's message.
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

// Returns the stream for device data: the plan's, or CUDA's default.
void* stream_of(const Plan& plan);
// Refuses a stream for calls that wait for results: a captured one, or any stream if data are on
// the host.
void refuse_capture(Engine& engine, const Plan& plan, void* stream);
void refuse_stream(const Plan& plan);

// Temporary device memory.
class Piece {
 public:
  Piece(jit::Gpu& gpu, std::size_t bytes) : gpu_(gpu), address_(gpu.allocate(bytes)) {}
  ~Piece() {
    try {
      gpu_.free(address_);
    } catch (const jit::CudaError&) {  // the device is lost, and its memory with it
    }
  }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  uint64_t address() const { return address_; }

 private:
  jit::Gpu& gpu_;
  uint64_t address_;
};

// The bytes from a nest's lowest element to the end of its highest, in one of its inputs; input 2
// is the mask.
struct Span {
  int64_t low = 0;  // the first byte's distance from the beginning of the input
  Size bytes = 0;
  Span(const Nest& nest, int input);
};

// Copies of a nest's arrays on the device, freed by the destructor; `at`: the nest's first
// elements.
class OnDevice {
 public:
  OnDevice(Engine& engine, const Plan& plan, const Nest& nest, const void* x, const void* y);
  Addresses at;

 private:
  Piece memory_;
};

}  // namespace onefold::cuda_backend
