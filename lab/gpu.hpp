// Runs one rung on a GPU: compiled at run time, checked on its first run, timed by graph replays.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/simulate.hpp"
#include "onefold/system/jit/cuda.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::lab {

// Returns the source that NVRTC compiles for a rung: includes, and a kernel of three lines.
std::string gpu_source(const Entry& rung, bool twin, Type type, Op op, unsigned block);

// Compiles a kernel `rung` for blocks of `block` threads at most, with the lines of its source.
//   throws  unsupported, with NVRTC's words
std::string rung_ptx(const Entry& e, bool twin, unsigned block);

// Returns the headers that kernels may include: the library's and the lab's.
std::vector<jit::Header> gpu_headers();

// Compiles a source for the GPU and loads it.
void* load(jit::Gpu& gpu, const std::string& source, const std::string& what);

// Returns why kernels cannot run on a GPU here, in one sentence; empty if they can.
std::string why_no_gpu();

// Memory that can grow, and is freed at the end: Of has `allocate` and `free`.
template <class Of, class Address>
class GrowingBuffer {
 public:
  explicit GrowingBuffer(Of& of, std::size_t bytes = 0) : of_(of) { grow(bytes); }
  ~GrowingBuffer() { release(); }
  GrowingBuffer(const GrowingBuffer&) = delete;
  GrowingBuffer& operator=(const GrowingBuffer&) = delete;
  // The old contents are lost.
  Address grow(std::size_t bytes) {
    if (bytes > bytes_) {
      release();
      address_ = of_.allocate(bytes);
      bytes_ = bytes;
    }
    return address_;
  }
  Address address() const { return address_; }

 private:
  void release() {
    try {
      if (bytes_ != 0) of_.free(address_);
    } catch (const jit::CudaError&) {  // after a kernel's fault every call fails
    }
    bytes_ = 0;
  }
  Of& of_;
  Address address_{};
  std::size_t bytes_ = 0;
};
using DeviceBuffer = GrowingBuffer<jit::Gpu, uint64_t>;

// Returns how many copies of some data are so large together that none stays in the caches.
inline std::size_t copies_for(std::size_t bytes, std::size_t l2_bytes, std::size_t most) {
  return std::clamp<std::size_t>(4 * l2_bytes / std::max<std::size_t>(bytes, 1) + 1, 2, most);
}

struct Timed {
  Outcome outcome;  // without a report, since a GPU counts nothing by itself
  double ms = 0;
  double gbps = 0;  // of the input
};

class GpuMachine {
 public:
  explicit GpuMachine(int index = 0);
  const jit::DeviceFacts& facts() const { return gpu_.facts(); }

  // Copies the elements, for a setting's n and type, to device memory, from where runs copy them.
  // At 2^28 elements that and the exact answer take a second, a run of a rung 0.1.
  void take_input(const std::vector<int32_t>& x, const Setting& setup);

  // Runs a rung on that input; nothing if it lacks the setting's type, op or block. Throws
  // CudaError; std::runtime_error with NVRTC's message if it does not compile.
  //   timing  a graph runs all steps once on each of several copies of the input, which together do
  //           not fit the caches; the median of `replays` is divided by the number of copies
  std::optional<Timed> run(const Entry& rung, bool twin, const Setting& setup, int replays = 9);

  // Returns GB/s of a plain read of so many bytes: 16-byte loads, eight in flight in each thread.
  double read_limit(Size bytes, int replays = 9);

 private:
  struct Input {
    Size n = 0;
    Type type{};
    Op op{};
    Value expected{};
    std::unique_ptr<DeviceBuffer> memory{};
  };
  template <class T>
  Timed run_as(const Entry& rung, bool twin, const Setting& setup, int replays);

  int index_;
  jit::Gpu gpu_;
  Input input_;
};

}  // namespace onefold::lab
