#include "onefold/cuda/calls.hpp"

#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

std::string device_name(const Plan& plan) {
  return "device cuda:" + std::to_string(plan.device.index);
}

}  // namespace

bool is_here(const Plan& plan, const void* p, const std::string& what) {
  const jit::Whereabouts w = jit::whereabouts(p);
  if (w.place != jit::MemoryKind::device) return false;
  if (w.device != plan.device.index) {
    throw Error(ErrorCode::bad_option,
                names_of(plan.ops) + ": " + what + " is on cuda:" + std::to_string(w.device) +
                    ", but the fold runs on cuda:" + std::to_string(plan.device.index) +
                    "; copy it to that device");
  }
  return true;
}

bool arrays_are_here(const Plan& plan, const Arrays& arrays) {
  const bool here = is_here(plan, arrays.x, "the array") &&
                    (arrays.y == nullptr || is_here(plan, arrays.y, "the second array"));
  if (arrays.mask != nullptr && is_here(plan, arrays.mask, "the mask") != here) {
    throw Error(ErrorCode::bad_option, names_of(plan.ops) + ": the array is " +
                                           (here ? "on the device and the mask on the host"
                                                 : "on the host and the mask on the device") +
                                           "; copy one of them, so that both are in one place");
  }
  if (!here && plan.on_device) {
    throw Error(ErrorCode::bad_option,
                names_of(plan.ops) + ": the array was passed as memory of cuda:" +
                    std::to_string(plan.device.index) +
                    ", but its pointer is host memory; leave the device out");
  }
  return here;
}

void fail(const Plan& plan, const jit::CudaError& e) {
  // Values of CUresult in cuda.h.
  enum { invalid_context = 201, invalid_handle = 400, capture = 900, last = 908 };
  const std::string where = device_name(plan) + ": ";
  const int code = e.code();
  if (e.is_out_of_memory()) throw Error(ErrorCode::out_of_memory, where + e.what());
  if (code == invalid_context || code == invalid_handle) {
    throw Error(ErrorCode::bad_option,
                where + "the stream belongs to another CUDA context: " + e.what());
  }
  if (code >= capture && code <= last) {
    throw Error(ErrorCode::bad_option,
                where + "CUDA does not allow this call while a stream is captured into a graph: " +
                    e.what());
  }
  throw Error(ErrorCode::device_failed, where + e.what());
}

void* stream_of(const Plan& plan) {
  return plan.stream == nullptr ? jit::Gpu::default_stream() : plan.stream;
}

void refuse_capture(Engine& engine, const Plan& plan, void* stream) {
  if (engine.gpu().graph_of(stream) == nullptr) return;
  throw Error(ErrorCode::bad_option,
              names_of(plan.ops) +
                  ": the stream is being captured into a graph, so this call cannot " +
                  "wait for its answer; use fold_into with outputs on the device");
}

void refuse_stream(const Plan& plan) {
  if (plan.stream == nullptr) return;
  throw Error(ErrorCode::bad_option,
              names_of(plan.ops) + ": .stream needs data on the device, but these are on the " +
                  "host; leave it out");
}

Span::Span(const Nest& nest, int input) : low(nest.origin[input]) {
  auto high = static_cast<Size>(low);
  for (const Axis& a : nest.axes) {
    const auto reach = static_cast<int64_t>(static_cast<Size>(a.stride[input]) * (a.extent - 1));
    if (reach < 0) {
      low += reach;
    } else {
      high += static_cast<Size>(reach);
    }
  }
  bytes = high - static_cast<Size>(low) + (input == 2 ? 1 : nest.bytes);
}

namespace {

// Rounds up to 256 bytes, so that a second array behind the first is aligned for any element.
constexpr Size rounded(Size bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

OnDevice::OnDevice(Engine& engine, const Plan& plan, const Nest& nest, const void* px,
                   const void* py)
    : memory_(engine.gpu(), rounded(Span(nest, 0).bytes) +
                                (plan.inputs == 2 ? rounded(Span(nest, 1).bytes) : 0) +
                                (plan.where.selects() ? rounded(Span(nest, 2).bytes) : 0)) {
  uint64_t free = memory_.address();
  const auto copy = [&](const void* p, int input) {
    const Span s(nest, input);
    engine.gpu().copy_in(free, static_cast<const std::byte*>(p) + s.low, s.bytes);
    const uint64_t first = free + static_cast<Size>(nest.origin[input] - s.low);
    free += rounded(s.bytes);
    return first;
  };
  at.x = copy(px, 0);
  if (plan.inputs == 2 && py != nullptr) at.y = copy(py, 1);
  if (plan.where.selects()) at.mask = copy(plan.where.data, 2);
}

}  // namespace onefold::cuda_backend
