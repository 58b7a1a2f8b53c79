#include "mpi/faults.hpp"

#include <mpi.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace onefold::test {

Faults faults;

namespace {

// Reads ONEFOLD_TEST_FAULT: "killed:1:5".
Fault named_fault() {
  const char* const value = std::getenv("ONEFOLD_TEST_FAULT");
  Fault fault;
  if (value == nullptr) return fault;
  char kind[20] = "";
  if (std::sscanf(value, "%19[a-z]:%d:%ld", kind, &fault.rank, &fault.call) != 3) std::abort();
  const char* const names[] = {"none", "killed", "starved", "spent", "late", "broken", "slow"};
  for (int k = 0; k < 7; ++k) {
    if (std::strcmp(kind, names[k]) == 0) fault.kind = static_cast<Fault::Kind>(k);
  }
  if (fault.kind == Fault::none) std::abort();
  return fault;
}

void at_call() {
  static const bool read = (faults.next = faults.next.kind ? faults.next : named_fault(), true);
  (void)read;
  const Fault& fault = faults.next;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (fault.kind == Fault::none || rank != fault.rank) return;
  const long call = faults.calls++;
  if (fault.kind == Fault::slow && call >= fault.call) {
    ::usleep(static_cast<useconds_t>(call * 7919 % 2000));
  }
  if (call != fault.call) return;
  faults.reached = true;
  if (fault.kind == Fault::killed) std::raise(SIGKILL);
  if (fault.kind == Fault::starved) faults.allocations_left = 0;
  if (fault.kind == Fault::spent) faults.no_more_memory = true;
  if (fault.kind == Fault::broken) faults.no_more_files = true;
  if (fault.kind == Fault::late) ::usleep(20'000);
}

bool may_allocate() {
  ++faults.allocations;
  if (faults.no_more_memory) return false;
  if (faults.allocations_left < 0) return true;
  return faults.allocations_left-- != 0;
}

// What MPI itself reads is no file.
bool may_read(int fd) {
  struct stat s {};
  if (!faults.no_more_files || ::fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) return true;
  errno = EIO;
  return false;
}

}  // namespace
}  // namespace onefold::test

using onefold::test::at_call;
using onefold::test::Fault;
using onefold::test::faults;
using onefold::test::may_allocate;
using onefold::test::may_read;

void* operator new(std::size_t bytes) {
  if (void* const p = may_allocate() ? std::malloc(bytes) : nullptr) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t align) {
  const auto unit = static_cast<std::size_t>(align);
  const std::size_t whole = (bytes + unit - 1) / unit * unit;
  if (void* const p = may_allocate() ? std::aligned_alloc(unit, whole) : nullptr) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

extern "C" ssize_t read(int fd, void* to, std::size_t n) {
  return may_read(fd) ? ::syscall(SYS_read, fd, to, n) : -1;
}
extern "C" ssize_t pread(int fd, void* to, std::size_t n, off_t at) {
  return may_read(fd) ? ::syscall(SYS_pread64, fd, to, n, at) : -1;
}

// Open MPI calls it while it waits. On a busy machine a rank that yields still uses core time that
// the awaited ranks need: with 20 other busy processes, 8 ranks took over 150 s for a test of 2 s.
extern "C" int sched_yield() { return ::usleep(50); }

// Open MPI's own collectives do not call these.
extern "C" {
int MPI_Allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  at_call();
  return PMPI_Allreduce(from, to, n, type, op, comm);
}
int MPI_Reduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  at_call();
  return PMPI_Reduce(from, to, n, type, op, root, comm);
}
int MPI_Reduce_scatter(const void* from, void* to, const int counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  at_call();
  return PMPI_Reduce_scatter(from, to, counts, type, op, comm);
}
int MPI_Bcast(void* words, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  at_call();
  return PMPI_Bcast(words, n, type, root, comm);
}
int MPI_Gather(const void* from, int n, MPI_Datatype type, void* to, int n_to, MPI_Datatype type_to,
               int root, MPI_Comm comm) {
  at_call();
  return PMPI_Gather(from, n, type, to, n_to, type_to, root, comm);
}
int MPI_Gatherv(const void* from, int n, MPI_Datatype type, void* to, const int counts[],
                const int begin[], MPI_Datatype type_to, int root, MPI_Comm comm) {
  at_call();
  return PMPI_Gatherv(from, n, type, to, counts, begin, type_to, root, comm);
}
int MPI_Allgather(const void* from, int n, MPI_Datatype type, void* to, int n_to,
                  MPI_Datatype type_to, MPI_Comm comm) {
  at_call();
  return PMPI_Allgather(from, n, type, to, n_to, type_to, comm);
}
int MPI_Allgatherv(const void* from, int n, MPI_Datatype type, void* to, const int counts[],
                   const int begin[], MPI_Datatype type_to, MPI_Comm comm) {
  at_call();
  return PMPI_Allgatherv(from, n, type, to, counts, begin, type_to, comm);
}
int MPI_Finalize() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool mine = faults.next.kind != Fault::none && rank == faults.next.rank;
  if (mine && !faults.reached) std::fprintf(stderr, "the fault was not reached\n");
  return PMPI_Finalize();
}
}
