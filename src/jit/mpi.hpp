// MPI for the command line, by the plugin onefold_mpi.so (folder mpi/), which is loaded when
// needed. Users' own programs include onefold/mpi.hpp instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace onefold::jit {

// All processes of an mpirun, while this lives.
class MpiWorld {
 public:
  // Call it once. Where `why` is not empty, there is no world.
  MpiWorld();
  ~MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;
  const std::string& why() const { return why_; }
  std::size_t rank() const { return static_cast<std::size_t>(rank_); }
  std::size_t ranks() const { return static_cast<std::size_t>(ranks_); }
  // Gathers equally many words of each rank into `all`, in the order of ranks; without to_all only
  // on rank 0. False: MPI failed, and returned.
  bool gather(std::span<const uint64_t> mine, std::span<uint64_t> all, bool to_all) const;
  // Ends all ranks with the status, for this one cannot say to them what it has met.
  [[noreturn]] void abort(int status) const;

 private:
  std::string why_;
  int rank_ = 0, ranks_ = 1;
  int (*gather_)(const uint64_t*, uint64_t, uint64_t*, int) = nullptr;
  void (*end_)() = nullptr, (*abort_)(int) = nullptr;
};

}  // namespace onefold::jit
