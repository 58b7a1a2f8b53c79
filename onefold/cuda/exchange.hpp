// Gathers bytes of host memory from all ranks of a communicator, and waits for them.
#pragma once

#include <string>
#include <vector>

#include "onefold/cuda/calls.hpp"

namespace onefold::cuda_backend {

class Exchange {
 public:
  //   stream   of the communicator's device; null: CUDA's default
  //   seconds  the longest time to wait for ranks
  //   throws   bad_option: the stream is being captured; NcclError, CudaError
  Exchange(void* comm, void* stream, double seconds);
  std::size_t ranks() const { return static_cast<std::size_t>(comm_.ranks()); }
  std::size_t rank() const { return static_cast<std::size_t>(comm_.rank()); }
  // Gathers the same number of words from each rank, in the order of ranks.
  std::vector<uint64_t> gather(const std::vector<uint64_t>& mine) const;

 private:
  void wait() const;
  jit::Communicator comm_;
  Engine& engine_;
  jit::Gpu::Current current_;
  void* stream_;
  double seconds_;
};

// Calls f with an exchange, and turns errors of NCCL and the driver into ours.
template <class F>
auto exchanging(void* comm, void* stream, double seconds, F&& f) {
  try {
    return f(Exchange(comm, stream, seconds));
  } catch (const jit::NcclError& e) {
    throw Error(ErrorCode::peer_failed, std::string("allreduce: ") + e.what());
  } catch (const jit::CudaError& e) {
    throw Error(ErrorCode::device_failed, std::string("allreduce: ") + e.what());
  }
}

}  // namespace onefold::cuda_backend
