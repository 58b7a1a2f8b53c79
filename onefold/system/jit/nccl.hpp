// The NCCL library of the caller's communicators, found in the process; it is never linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace onefold::jit {

// A failed call, with NCCL's message.
class NcclError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One communicator of the caller. Collectives are queued on a stream, and all ranks must call the
// same ones in the same order.
class Communicator {
 public:
  // throws  NcclError: there is no NCCL, or the communicator has failed
  explicit Communicator(void* comm);

  int ranks() const { return ranks_; }
  int rank() const { return rank_; }
  int device() const { return device_; }
  // Checks for failures after a call, on this rank or on others of which NCCL has heard.
  //   throws  NcclError
  void check_asynchronous() const;

  struct Sum {
    uint64_t words = 0;  // number of int64, summed in place
    std::size_t n = 0;
  };
  struct Gather {
    uint64_t from = 0, to = 0;
    std::size_t n = 0;  // number of int64 of each rank
  };
  // Queues both together; one without words is left out.
  void exchange(const Sum& sum, const Gather& gathering, void* stream) const;

 private:
  void* comm_;
  int ranks_ = 0, rank_ = 0, device_ = 0;
};

}  // namespace onefold::jit
