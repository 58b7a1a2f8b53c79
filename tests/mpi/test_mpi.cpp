// Every rank runs all of this; each checks for itself, and any that fails fails the run.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "generate.hpp"
#include "onefold/mpi.hpp"

namespace onefold {
namespace {

int rank = 0, ranks = 0, failures = 0;

#define EXPECT(condition)                                                                      \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      std::fprintf(stderr, "rank %d of %d, line %d: %s\n", rank, ranks, __LINE__, #condition); \
      ++failures;                                                                              \
    }                                                                                          \
  } while (false)

// The code and message that a call ends with.
template <class F>
std::pair<ErrorCode, std::string> caught(F f) {
  try {
    f();
  } catch (const Error& e) {
    return {e.code(), e.what()};
  }
  return {ErrorCode::ok, ""};
}

// The elements of a rank: odd splits, and none for the one before the last.
std::pair<std::size_t, std::size_t> part_of(int r, std::size_t n) {
  const auto begin = [&](int k) {
    if (k == ranks - 1 && ranks > 2) k = ranks - 2;
    return k >= ranks
               ? n
               : n * static_cast<std::size_t>(k * k) / static_cast<std::size_t>(ranks * ranks);
  };
  return {begin(r), begin(r + 1)};
}

void every_type_gives_the_bytes_of_one_process() {
  for (int t = 0; t < dtype_count; ++t) {
    const auto type = static_cast<DType>(t);
    for (const std::string_view g : test::generators(type)) {
      const std::size_t n = 1001;
      const test::Data x = test::generate(g, type, n, 3);
      const auto [begin, end] = part_of(rank, n);
      const ArrayRef part(x.at(begin), type, {static_cast<int64_t>(end - begin)});
      for (const char* ops : {"var,norm1", "min,ptp", "mean,argmin,argmax"}) {
        const State whole = gather(ops, ArrayRef(x.data(), type, {static_cast<int64_t>(n)}));
        const State mine = gather(ops, part, {.first = begin});
        EXPECT(mpi::allreduce(mine, MPI_COMM_WORLD) == whole);
        const State at_root = mpi::reduce(mine, ranks - 1, MPI_COMM_WORLD);
        EXPECT(at_root == (rank == ranks - 1 ? whole : State()));
      }
    }
  }
}

void a_rank_may_bring_nothing_of_no_kind() {
  const std::vector<double> x{1, 2, 4};
  const State mine = rank == 0 ? gather("mean,argmax", x) : State();
  EXPECT(mpi::allreduce(mine, MPI_COMM_WORLD) == gather("mean,argmax", x));
  EXPECT(mpi::allreduce(State(), MPI_COMM_WORLD) == State());
}

void a_rank_that_fails_fails_all() {
  const auto [code, message] = caught([] {
    mpi::allreduce(
        [] {
          if (rank == ranks - 1) throw Error(ErrorCode::truncated, "part 7 ends early");
          return gather("sum", std::vector<double>{1});
        },
        MPI_COMM_WORLD);
  });
  EXPECT(code == ErrorCode::truncated);
  EXPECT(message == "rank " + std::to_string(ranks - 1) + ": part 7 ends early");
  const auto other =
      caught([] { mpi::reduce([]() -> State { throw std::bad_alloc(); }, 0, MPI_COMM_WORLD); });
  EXPECT(other.first == ErrorCode::out_of_memory);
  EXPECT(other.second == "rank 0: memory ran out");
}

void different_kinds_fail_on_all_ranks() {
  if (ranks == 1) return;
  const State mine =
      rank == 1 ? gather("sum", std::vector<float>{1}) : gather("sum", std::vector<double>{1});
  const auto [code, message] = caught([&] { mpi::allreduce(mine, MPI_COMM_WORLD); });
  EXPECT(code == ErrorCode::bad_state);
  EXPECT(message.find("ranks 0 and 1: ") == 0);
  EXPECT(message.find("f64 here, f32 there") != std::string::npos);
}

void parts_counted_twice_fail_on_all_ranks() {
  if (ranks == 1) return;
  const State mine = gather("argmin", std::vector<double>{1, 2},
                            {.first = rank == 0 ? 2u : 2u * static_cast<Size>(rank)});
  const auto [code, message] = caught([&] { mpi::allreduce(mine, MPI_COMM_WORLD); });
  EXPECT(code == ErrorCode::overlap);
}

}  // namespace
}  // namespace onefold

int main(int argc, char** argv) {
  using namespace onefold;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  every_type_gives_the_bytes_of_one_process();
  a_rank_may_bring_nothing_of_no_kind();
  a_rank_that_fails_fails_all();
  different_kinds_fail_on_all_ranks();
  parts_counted_twice_fail_on_all_ranks();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
