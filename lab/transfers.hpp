// Page-locked memory, streams and events: calls of the driver that only the lab makes. They use the
// context of a jit::Gpu, which must exist.
#pragma once

#include <cstddef>
#include <string>

#include "onefold/system/jit/cuda.hpp"

namespace onefold::lab {

// Throws jit::CudaError if the driver lacks the call; so does the call if it fails.
template <class... A>
struct DriverCall {
  explicit DriverCall(const char* symbol)
      : name(symbol),
        call(reinterpret_cast<int (*)(A...)>(jit::Driver::get().library().find(symbol))) {
    if (call == nullptr) throw jit::CudaError(-1, std::string("libcuda.so.1 lacks ") + symbol);
  }
  void operator()(A... a) const {
    const int code = call(a...);
    if (code != 0)
      throw jit::CudaError(code, std::string(name) + " failed: " + std::to_string(code));
  }
  const char* name;
  int (*call)(A...);
};

using Address = unsigned long long;

struct Transfers {
  DriverCall<void**, std::size_t, unsigned> alloc_pinned{"cuMemHostAlloc"};
  DriverCall<void*> unpin{"cuMemFreeHost"};
  DriverCall<void*, std::size_t, unsigned> lock{"cuMemHostRegister_v2"};  // existing memory
  DriverCall<void*> unlock{"cuMemHostUnregister"};
  DriverCall<Address*, void*, unsigned> get_mapped{"cuMemHostGetDevicePointer_v2"};
  DriverCall<void**, unsigned> create_stream{"cuStreamCreate"};
  DriverCall<void*> drop_stream{"cuStreamDestroy_v2"};
  DriverCall<void*> wait{"cuStreamSynchronize"};
  DriverCall<void**, unsigned> create_event{"cuEventCreate"};
  DriverCall<void*> drop_event{"cuEventDestroy_v2"};
  DriverCall<void*, void*> record{"cuEventRecord"};  // an event, in a stream
  DriverCall<float*, void*, void*> elapsed{"cuEventElapsedTime"};
  DriverCall<Address, const void*, std::size_t, void*> copy_in{"cuMemcpyHtoDAsync_v2"};
  DriverCall<void*, Address, std::size_t, void*> copy_out{"cuMemcpyDtoHAsync_v2"};
  DriverCall<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
             void**, void**>
      launch{"cuLaunchKernel"};

  template <class V, class... P, class... A>
  static V made(const DriverCall<V*, P...>& call, A... a) {
    V v{};
    call(&v, a...);
    return v;
  }
  void* pin(std::size_t bytes) { return made(alloc_pinned, bytes, 2u); }  // also mapped
  Address mapped(void* pinned) { return made(get_mapped, pinned, 0u); }   // for kernels
  void* stream() { return made(create_stream, 1u); }                      // not blocking
  void* event() { return made(create_event, 0u); }
  double ms(void* from, void* to) { return static_cast<double>(made(elapsed, from, to)); }
};

}  // namespace onefold::lab
