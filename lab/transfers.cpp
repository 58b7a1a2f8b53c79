#include "lab/transfers.hpp"

#include <string>

#include "onefold/system/jit/cuda.hpp"

namespace onefold::lab {
namespace {

using Address = unsigned long long;

#define ONEFOLD_CALLS(X)                                                                       \
  X(cuMemHostAlloc, "cuMemHostAlloc", void**, std::size_t, unsigned)                           \
  X(cuMemFreeHost, "cuMemFreeHost", void*)                                                     \
  X(cuMemHostRegister, "cuMemHostRegister_v2", void*, std::size_t, unsigned)                   \
  X(cuMemHostUnregister, "cuMemHostUnregister", void*)                                         \
  X(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", Address*, void*, unsigned)      \
  X(cuStreamCreate, "cuStreamCreate", void**, unsigned)                                        \
  X(cuStreamDestroy, "cuStreamDestroy_v2", void*)                                              \
  X(cuStreamSynchronize, "cuStreamSynchronize", void*)                                         \
  X(cuEventCreate, "cuEventCreate", void**, unsigned)                                          \
  X(cuEventDestroy, "cuEventDestroy_v2", void*)                                                \
  X(cuEventRecord, "cuEventRecord", void*, void*)                                              \
  X(cuEventElapsedTime, "cuEventElapsedTime", float*, void*, void*)                            \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", Address, const void*, std::size_t, void*)       \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", void*, Address, std::size_t, void*)             \
  X(cuLaunchKernel, "cuLaunchKernel", void*, unsigned, unsigned, unsigned, unsigned, unsigned, \
    unsigned, unsigned, void*, void**, void**)

struct Calls {
#define X(name, symbol, ...) int (*name)(__VA_ARGS__) = nullptr;
  ONEFOLD_CALLS(X)
#undef X
};
Calls calls;

void check(int code, const char* call) {
  if (code != 0) throw jit::CudaError(code, std::string(call) + " failed: " + std::to_string(code));
}
#define CHECKED(name, ...) check(calls.name(__VA_ARGS__), #name)

}  // namespace

Transfers::Transfers() {
  const jit::LibraryHandle& driver = jit::Driver::get().library();
#define X(name, symbol, ...)                                                \
  calls.name = reinterpret_cast<decltype(calls.name)>(driver.find(symbol)); \
  if (calls.name == nullptr) throw jit::CudaError(-1, "libcuda.so.1 lacks " symbol);
  ONEFOLD_CALLS(X)
#undef X
}

void* Transfers::pin(std::size_t bytes) {
  constexpr unsigned device_map = 2;
  void* p = nullptr;
  CHECKED(cuMemHostAlloc, &p, bytes, device_map);
  return p;
}
void Transfers::unpin(void* memory) { CHECKED(cuMemFreeHost, memory); }
void Transfers::lock(void* memory, std::size_t bytes) {
  CHECKED(cuMemHostRegister, memory, bytes, 0);
}
void Transfers::unlock(void* memory) { CHECKED(cuMemHostUnregister, memory); }
uint64_t Transfers::mapped(void* pinned) {
  Address a = 0;
  CHECKED(cuMemHostGetDevicePointer, &a, pinned, 0);
  return a;
}

Transfers::Handle Transfers::stream() {
  constexpr unsigned non_blocking = 1;
  Handle s = nullptr;
  CHECKED(cuStreamCreate, &s, non_blocking);
  return s;
}
void Transfers::drop_stream(Handle stream) { CHECKED(cuStreamDestroy, stream); }
void Transfers::wait(Handle stream) { CHECKED(cuStreamSynchronize, stream); }
Transfers::Handle Transfers::event() {
  Handle e = nullptr;
  CHECKED(cuEventCreate, &e, 0);
  return e;
}
void Transfers::drop_event(Handle event) { CHECKED(cuEventDestroy, event); }
void Transfers::record(Handle event, Handle stream) { CHECKED(cuEventRecord, event, stream); }
double Transfers::ms(Handle from, Handle to) {
  float v = 0;
  CHECKED(cuEventElapsedTime, &v, from, to);
  return static_cast<double>(v);
}

void Transfers::copy_in(uint64_t to, const void* from, std::size_t bytes, Handle stream) {
  CHECKED(cuMemcpyHtoDAsync, to, from, bytes, stream);
}
void Transfers::copy_out(void* to, uint64_t from, std::size_t bytes, Handle stream) {
  CHECKED(cuMemcpyDtoHAsync, to, from, bytes, stream);
}
void Transfers::launch(Handle function, unsigned grid, unsigned block, void** args, Handle stream) {
  CHECKED(cuLaunchKernel, function, grid, 1, 1, block, 1, 1, 0, stream, args, nullptr);
}

}  // namespace onefold::lab
