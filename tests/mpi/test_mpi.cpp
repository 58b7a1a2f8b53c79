// Every rank runs all of this; each checks for itself, and any that fails fails the run.
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "generate.hpp"
#include "onefold/mpi_states.hpp"

// How many have been made; how many more can be, until one of them fails; negative: all can be.
static long allocations = 0, allocations_left = -1;

void* operator new(std::size_t bytes) {
  ++allocations;
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  if (void* const p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* p) noexcept { std::free(p); }
__attribute__((noinline)) void operator delete(void* p, std::size_t) noexcept { std::free(p); }

// What a rank does before one of its calls of MPI.
static struct {
  int rank = -1, call = 0;
  bool ends = false;  // it is killed; else it is late
  int calls = 0;
} fault;
static void at_call() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != fault.rank || fault.calls++ != fault.call) return;
  if (fault.ends) std::raise(SIGKILL);
  ::usleep(20'000);
}
// Open MPI's own collectives do not call these.
extern "C" int MPI_Allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  at_call();
  return PMPI_Allreduce(from, to, n, type, op, comm);
}
extern "C" int MPI_Reduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, int root,
                          MPI_Comm comm) {
  at_call();
  return PMPI_Reduce(from, to, n, type, op, root, comm);
}
extern "C" int MPI_Bcast(void* words, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  at_call();
  return PMPI_Bcast(words, n, type, root, comm);
}
extern "C" int MPI_Allgatherv(const void* from, int n, MPI_Datatype type, void* to,
                              const int counts[], const int begin[], MPI_Datatype type_to,
                              MPI_Comm comm) {
  at_call();
  return PMPI_Allgatherv(from, n, type, to, counts, begin, type_to, comm);
}

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
  for (const int root : {0, ranks - 1}) {
    const auto at_root = caught([&] { mpi::reduce(mine, root, MPI_COMM_WORLD); });
    EXPECT(at_root.first == code);
    EXPECT(at_root.second == message);
  }
}

// Wherever memory ends on a rank, all ranks say so, or all go on. `merge` merges what all have.
template <class S, class Merge>
void a_rank_without_memory_fails_all_of(const S& whole, Merge merge) {
  for (const int starved : {0, ranks - 1}) {
    bool failed = true;
    for (long k = 0; failed; ++k) {
      S all;
      const auto [code, message] = caught([&] {
        if (rank == starved) allocations_left = k;
        all = merge();
      });
      const bool spared = allocations_left >= 0;
      allocations_left = -1;
      const bool out = code == ErrorCode::out_of_memory;
      EXPECT(out || code == ErrorCode::ok);
      // All have met the same.
      int most = out ? 1 : 0, least = most;
      MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
      EXPECT(most == least);
      const bool alone = ranks == 1 && message == "memory ran out";
      if (out && !alone) {
        EXPECT(message == "rank " + std::to_string(starved) + ": memory ran out");
      }
      if (!out) EXPECT(all == whole);
      failed = rank == starved && !spared;
      MPI_Bcast(&failed, 1, MPI_CXX_BOOL, starved, MPI_COMM_WORLD);
    }
  }
}
// Equal elements make sums and squares meet their bounds, which is looked at digit by digit.
void a_rank_without_memory_fails_all(bool equal) {
  std::vector<double> x;
  for (int k = 0; k < 4 * ranks; ++k) x.push_back(equal ? 3 : k * k % 7 - 3);
  const auto part = std::span(x).subspan(4 * static_cast<std::size_t>(rank), 4);
  for (const char* ops : {"mean,argmax", "mean", "norm1", "var", "count_nan,max"}) {
    if (ranks > 3 && ops != std::string("mean,argmax")) continue;  // in seconds
    const State mine = gather(ops, part, {.first = 4 * static_cast<Size>(rank)});
    a_rank_without_memory_fails_all_of(gather(ops, x),
                                       [&] { return mpi::allreduce(mine, MPI_COMM_WORLD); });
    const States some = gather_states(ops, ArrayRef(part.data(), f64, {2, 2}),
                                      {.axes = {0}, .first = 2 * static_cast<Size>(rank)});
    a_rank_without_memory_fails_all_of(
        gather_states(ops, ArrayRef(x.data(), f64, {2 * ranks, 2}), {.axes = {0}}),
        [&] { return mpi::allreduce(some, MPI_COMM_WORLD); });
  }
  // One that brings nothing of no kind is told the kind.
  const State one = rank == 0 ? gather("mean,max", part) : State();
  a_rank_without_memory_fails_all_of(gather("mean,max", std::span(x).first(4)),
                                     [&] { return mpi::allreduce(one, MPI_COMM_WORLD); });
}

// Returns how many calls it makes.
int merge_and_count_calls() {
  const std::vector<double> mine{1.0 + rank, -2}, all{1, -2, 2, -2};
  fault.calls = 0;
  const State state = gather("mean,argmax", mine, {.first = 2 * static_cast<Size>(rank)});
  const States slices = gather_states("var,max", ArrayRef(mine.data(), f64, {1, 2}), {.axes = {0}});
  const State sum = mpi::allreduce(state, MPI_COMM_WORLD);
  const State at_root = mpi::reduce(state, 0, MPI_COMM_WORLD);
  const States sums = mpi::allreduce(slices, MPI_COMM_WORLD);
  if (ranks != 2) return fault.calls;
  EXPECT(sum == gather("mean,argmax", all));
  EXPECT(at_root == (rank == 0 ? sum : State()));
  EXPECT(sums == gather_states("var,max", ArrayRef(all.data(), f64, {2, 2}), {.axes = {0}}));
  return fault.calls;
}
void a_rank_may_be_late_before_any_call() {
  for (int late = 0; late < ranks && ranks <= 3; ++late) {
    fault.rank = late;
    int calls = 1;
    for (fault.call = 0; fault.call < calls; ++fault.call) {
      calls = merge_and_count_calls();
      MPI_Bcast(&calls, 1, MPI_INT, late, MPI_COMM_WORLD);
    }
    EXPECT(calls >= 9);
  }
  fault.rank = -1;
}

// Not even to say why it failed.
void a_rank_without_memory_for_words_fails_all() {
  const auto [code, message] = caught([] {
    mpi::allreduce(
        []() -> State {
          const Error why(ErrorCode::truncated, "part 7 ends early; fetch it again, all of it");
          if (rank == ranks - 1) allocations_left = 0;
          throw why;
        },
        MPI_COMM_WORLD);
  });
  allocations_left = -1;
  EXPECT(code == ErrorCode::truncated);
  EXPECT(message.find("rank 0: ") == 0);
}
void greetings_allocate_nothing() {
  const long before = allocations;
  uint64_t words[] = {static_cast<uint64_t>(rank), 7};
  mpi::detail::take_largest(words, MPI_COMM_WORLD);
  const int first = mpi::detail::first_that(rank == ranks - 1, MPI_COMM_WORLD);
  const int nobody = mpi::detail::first_that(false, MPI_COMM_WORLD);
  EXPECT(allocations == before);
  EXPECT(words[0] == static_cast<uint64_t>(ranks - 1) && words[1] == 7);
  EXPECT(first == ranks - 1 && nobody == -1);
}

// Slices of a table of `n` rows; each rank has some of them.
void slices_give_the_bytes_of_one_process(DType type, std::string_view generator, std::size_t n,
                                          std::size_t slices) {
  const test::Data x = test::generate(generator, type, n * slices, 5);
  const auto [begin, end] = part_of(rank, n);
  const Dims all(static_cast<int64_t>(n), static_cast<int64_t>(slices)),
      some(static_cast<int64_t>(end - begin), static_cast<int64_t>(slices));
  for (const char* ops : {"var,norm1", "min,ptp", "mean,argmin,argmax"}) {
    const States whole = gather_states(ops, ArrayRef(x.data(), type, all), {.axes = {0}});
    const States mine = gather_states(ops, ArrayRef(x.at(begin * slices), type, some),
                                      {.axes = {0}, .first = begin});
    EXPECT(mpi::allreduce(mine, MPI_COMM_WORLD) == whole);
    const mpi::Block block = mpi::reduce_scatter(mine, MPI_COMM_WORLD);
    const auto first_of = [&](int r) {
      return slices * static_cast<std::size_t>(r) / static_cast<std::size_t>(ranks);
    };
    EXPECT(block.first == first_of(rank));
    EXPECT(block.states.size() == first_of(rank + 1) - first_of(rank));
    for (Size i = 0; i < block.states.size(); ++i) {
      EXPECT(block.states[i] == whole[block.first + i]);
    }
  }
}

void slices_of_every_type_and_number() {
  for (const DType type : {f64, f32, bf16, i64, u8}) {
    for (const std::string_view g : test::generators(type)) {
      if (type == f64 || g == test::generators(type)[0]) {
        slices_give_the_bytes_of_one_process(type, g, 37, 11);
      }
    }
  }
  slices_give_the_bytes_of_one_process(f64, test::generators(f64)[0], 5, 1);
  slices_give_the_bytes_of_one_process(f64, test::generators(f64)[0], 5, 3000);
}

// What one rank's digits need, another's may not.
void slices_of_different_widths_meet() {
  const std::vector<double> x(12, std::ldexp(1.0, rank % 2 == 0 ? 900 : -900));
  std::vector<double> both;
  for (int r = 0; r < ranks; ++r) both.insert(both.end(), 12, std::ldexp(1.0, r % 2 ? -900 : 900));
  const States mine = gather_states("sum", ArrayRef(x.data(), f64, {4, 3}), {.axes = {0}});
  const States whole =
      gather_states("sum", ArrayRef(both.data(), f64, {4 * ranks, 3}), {.axes = {0}});
  EXPECT(mpi::allreduce(mine, MPI_COMM_WORLD) == whole);
  EXPECT(mpi::allreduce(rank == 0 ? mine : States(), MPI_COMM_WORLD) == [&] {
    return gather_states("sum", ArrayRef(both.data(), f64, {4, 3}), {.axes = {0}});
  }());
  EXPECT(mpi::allreduce(States(), MPI_COMM_WORLD) == States());
}

void slices_that_cannot_meet_fail_on_all_ranks() {
  const std::vector<double> x{1, 2, 3, 4};
  const auto failed = caught([&] {
    mpi::reduce_scatter(
        [&] {
          if (rank == ranks - 1) throw Error(ErrorCode::truncated, "tile 3 ends early");
          return gather_states("sum", ArrayRef(x.data(), f64, {2, 2}), {.axes = {0}});
        },
        MPI_COMM_WORLD);
  });
  EXPECT(failed.first == ErrorCode::truncated);
  EXPECT(failed.second == "rank " + std::to_string(ranks - 1) + ": tile 3 ends early");
  if (ranks == 1) return;
  const Dims shape = rank == 1 ? Dims(1, 4) : Dims(2, 2);
  const auto [code, message] = caught([&] {
    mpi::allreduce(gather_states("sum", ArrayRef(x.data(), f64, shape), {.axes = {0}}),
                   MPI_COMM_WORLD);
  });
  EXPECT(code == ErrorCode::shape_mismatch);
  EXPECT(message.find("ranks 0 and 1: ") == 0);
}

}  // namespace
}  // namespace onefold

int main(int argc, char** argv) {
  using namespace onefold;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 3) {  // a rank, and the call before which it is killed
    fault = {.rank = std::atoi(argv[1]), .call = std::atoi(argv[2]), .ends = true};
    merge_and_count_calls();
    std::puts("merged");
    MPI_Finalize();
    return 0;
  }
  every_type_gives_the_bytes_of_one_process();
  a_rank_may_be_late_before_any_call();
  a_rank_may_bring_nothing_of_no_kind();
  a_rank_that_fails_fails_all();
  different_kinds_fail_on_all_ranks();
  parts_counted_twice_fail_on_all_ranks();
  a_rank_without_memory_fails_all(false);
  if (ranks <= 3) a_rank_without_memory_fails_all(true);
  a_rank_without_memory_for_words_fails_all();
  greetings_allocate_nothing();
  slices_of_every_type_and_number();
  slices_of_different_widths_meet();
  slices_that_cannot_meet_fail_on_all_ranks();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
