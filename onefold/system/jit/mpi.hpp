// MPI for the command line, by the plugin onefold_mpi.so (folder plugins/mpi/), which is loaded
// when needed. Users' own programs include onefold/mpi.hpp instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace onefold::jit {

// All processes of one mpirun; MPI is initialised while this object lives.
class MpiWorld {
 public:
  // Called once. If `why` is not empty, MPI cannot be used.
  MpiWorld();
  ~MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;
  const std::string& why() const { return why_; }
  std::size_t rank() const { return static_cast<std::size_t>(rank_); }
  std::size_t ranks() const { return static_cast<std::size_t>(ranks_); }
  // Gathers the same number of words from each rank into `all`, rank by rank; without to_all only
  // on rank 0. Returns false if MPI failed.
  bool gather(std::span<const uint64_t> mine, std::span<uint64_t> all, bool to_all) const;
  // Ends all ranks with this status, since this rank cannot tell them of its error.
  [[noreturn]] void abort(int status) const;

 private:
  std::string why_;
  int rank_ = 0, ranks_ = 1;
  int (*gather_)(const uint64_t*, uint64_t, uint64_t*, int) = nullptr;
  void (*end_)() = nullptr, (*abort_)(int) = nullptr;
};

}  // namespace onefold::jit
