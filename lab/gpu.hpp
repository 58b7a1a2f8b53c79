// Runs one rung on a GPU: compiled at run time, checked on its first run, timed by graph replays.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jit/cuda.hpp"
#include "jit/nvrtc.hpp"
#include "lab/simulate.hpp"

namespace onefold::lab {

// The source that NVRTC gets for a rung: the includes, and a kernel of three lines.
std::string gpu_source(const Entry& rung, bool twin, Type type, Op op, unsigned block);

// What run-time compilation may include: the product's headers and the lab's.
std::vector<jit::Header> gpu_headers();

// Why kernels cannot run on a GPU here, in one sentence; empty if they can.
std::string why_no_gpu();

struct Timed {
  Outcome outcome;  // its report is empty: a GPU counts nothing by itself
  double ms = 0;
  double gbps = 0;  // of input read
};

class GpuMachine {
 public:
  explicit GpuMachine(int index = 0);
  ~GpuMachine();
  const jit::DeviceFacts& facts() const { return gpu_.facts(); }

  // Puts the elements of a setting's n and type into device memory; runs take their copies there.
  // At 2^28 elements that and the exact answer take a second, the runs of a rung 0.1.
  void take_input(const std::vector<int32_t>& x, const Setting& setup);

  // On the input taken, which must be of this n and type. Empty if the rung has no such type, op or
  // block. Throws CudaError; std::runtime_error with NVRTC's words if a text does not compile.
  //   timing  a graph runs all steps once over each of several copies of the input, together more
  //           than the caches hold; median of `replays`, divided by the copies
  std::optional<Timed> run(const Entry& rung, bool twin, const Setting& setup, int replays = 9);

  // GB/s of a plain read of as many bytes: 16-byte loads, eight in flight a thread.
  double read_limit(Size bytes, int replays = 9);

 private:
  class Memory;
  struct Input {
    Size n = 0;
    Type type{};
    Op op{};
    Value expected{};
    std::unique_ptr<Memory> memory{};
  };
  template <class T>
  Timed run_as(const Entry& rung, bool twin, const Setting& setup, int replays);
  void* compile(const std::string& source, const std::string& what);

  int index_;
  jit::Gpu gpu_;
  Input input_;
};

}  // namespace onefold::lab
