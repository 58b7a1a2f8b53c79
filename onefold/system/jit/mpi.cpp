#include "onefold/system/jit/mpi.hpp"

#include <cstdlib>

#include "onefold/system/environment.hpp"
#include "onefold/system/jit/loaded.hpp"

namespace onefold::jit {
namespace {

// Returns an error if a launcher started several processes, but MPI tells each that it is the only
// rank: then all would print. The innermost launcher's variable is tested first.
std::string ranks_that_mpi_does_not_see() {
  for (const char* const name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS"}) {
    const char* const value = system::environment(name);
    if (value == nullptr) continue;
    if (std::strtol(value, nullptr, 10) <= 1) return "";
    return std::string(name) + " is " + value +
           ", but MPI sees only one rank, so each process would compute alone; start them with the "
           "mpirun of the MPI that onefold_mpi.so was built with, or with srun --mpi=pmix";
  }
  return "";
}

}  // namespace

MpiWorld::MpiWorld() {
  const LibraryHandle loaded = load_plugin("ONEFOLD_MPI_PLUGIN", "onefold_mpi.so");
  if (!loaded) {
    why_ = "onefold_mpi.so cannot be loaded (" + loaded.why +
           "); build it where CMake finds MPI (apt install libopenmpi-dev), or set "
           "$ONEFOLD_MPI_PLUGIN to its path";
    return;
  }
  const auto begin = reinterpret_cast<int (*)(int*, int*)>(loaded.find("onefold_mpi_begin"));
  gather_ = reinterpret_cast<decltype(gather_)>(loaded.find("onefold_mpi_gather"));
  end_ = reinterpret_cast<decltype(end_)>(loaded.find("onefold_mpi_end"));
  abort_ = reinterpret_cast<decltype(abort_)>(loaded.find("onefold_mpi_abort"));
  if (begin == nullptr || gather_ == nullptr || end_ == nullptr || abort_ == nullptr) {
    why_ = loaded.name +
           " lacks functions of this version of onefold; build both from the same version";
    end_ = nullptr;
  } else if (begin(&rank_, &ranks_) != 0) {
    why_ = "MPI could not be started; run the program with mpirun";
    end_ = nullptr;
  } else if (ranks_ == 1) {
    why_ = ranks_that_mpi_does_not_see();
  }
}

MpiWorld::~MpiWorld() {
  if (end_ != nullptr) end_();
}

bool MpiWorld::gather(std::span<const uint64_t> mine, std::span<uint64_t> all, bool to_all) const {
  return gather_(mine.data(), mine.size(), all.data(), to_all ? 1 : 0) == 0;
}

void MpiWorld::abort(int status) const {
  abort_(status);
  std::_Exit(status);
}

}  // namespace onefold::jit
