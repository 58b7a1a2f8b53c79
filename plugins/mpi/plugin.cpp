// The MPI calls of `onefold OP FILE --mpi`, in a library of their own. Only --mpi loads it, so the
// program also starts without MPI. onefold/system/jit/mpi.hpp is its caller.
#include <mpi.h>

#include <climits>
#include <cstdint>

extern "C" {

// Returns 0 if MPI has begun. An MPI error ends all ranks.
int onefold_mpi_begin(int* rank, int* ranks) {
  if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, ranks);
  return 0;
}
// Gathers n words of each rank in the order of ranks. all = 0: only rank 0 gets them.
int onefold_mpi_gather(const uint64_t* mine, uint64_t n, uint64_t* got, int all) {
  if (n > INT_MAX) return 1;
  const int count = static_cast<int>(n);
  if (all == 0) {
    return MPI_Gather(mine, count, MPI_UINT64_T, got, count, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  }
  return MPI_Allgather(mine, count, MPI_UINT64_T, got, count, MPI_UINT64_T, MPI_COMM_WORLD);
}
void onefold_mpi_end() { MPI_Finalize(); }
// Ends all ranks at once: mpirun exits with the status.
void onefold_mpi_abort(int status) { MPI_Abort(MPI_COMM_WORLD, status); }
}
