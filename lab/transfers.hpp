// Page-locked memory, streams and events: calls of the driver that only the lab makes. They use the
// context of a jit::Gpu, which must exist.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onefold::lab {

class Transfers {
 public:
  // Throws jit::CudaError if the driver lacks a call; so do the calls.
  Transfers();

  void* pin(std::size_t bytes);  // also mapped
  void unpin(void* memory);
  void lock(void* memory, std::size_t bytes);  // locks pages of existing memory
  void unlock(void* memory);
  uint64_t mapped(void* pinned);  // its address for kernels

  using Handle = void*;
  Handle stream();
  void drop_stream(Handle stream);
  void wait(Handle stream);
  Handle event();
  void drop_event(Handle event);
  void record(Handle event, Handle stream);
  double ms(Handle from, Handle to);

  void copy_in(uint64_t to, const void* from, std::size_t bytes, Handle stream);
  void copy_out(void* to, uint64_t from, std::size_t bytes, Handle stream);
  void launch(Handle function, unsigned grid, unsigned block, void** args, Handle stream);
};

}  // namespace onefold::lab
