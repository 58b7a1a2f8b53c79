// Any rank throws, has no memory left or is late, at any step: then all ranks throw the same error,
// or none does and all have the right answer.
#include <new>
#include <span>
#include <vector>

#include "mpi/faults.hpp"
#include "mpi/rank_tests.hpp"

namespace onefold::test {
namespace {

void throws_what_a_rank_has_met(int bad) {
  const auto [code, message] = caught([&] {
    mpi::allreduce(
        [&] {
          if (rank == bad) throw Error(ErrorCode::truncated, "part 7 ends early");
          return gather("sum", std::vector<double>{1});
        },
        MPI_COMM_WORLD);
  });
  EXPECT(code == ErrorCode::truncated);
  EXPECT(message == "rank " + std::to_string(bad) + ": part 7 ends early");
  const auto no_error = caught([&] {
    mpi::reduce(
        [&] {
          if (rank == bad) throw 7;
          return gather("sum", std::vector<double>{1});
        },
        ranks - 1 - bad, MPI_COMM_WORLD);
  });
  EXPECT(no_error.first == ErrorCode::peer_failed);
  EXPECT(no_error.second == "rank " + std::to_string(bad) +
                                ": a function threw something that is not a std::exception");
  const auto slices = caught([&] {
    mpi::reduce_scatter(
        [&] {
          if (rank == bad) throw std::bad_alloc();
          return gather_states("sum", std::vector<double>{1, 2}, {.axes = {}});
        },
        MPI_COMM_WORLD);
  });
  EXPECT(slices.first == ErrorCode::out_of_memory);
  EXPECT(slices.second == "rank " + std::to_string(bad) + ": memory ran out");
}
void names_the_first_of_several() {
  const auto [code, message] =
      caught([] { mpi::reduce([]() -> State { throw std::bad_alloc(); }, 0, MPI_COMM_WORLD); });
  EXPECT(code == ErrorCode::out_of_memory);
  EXPECT(message == "rank 0: memory ran out");
}
// There is not even memory for an error message.
void throws_where_a_rank_has_no_memory_for_words(int bad) {
  const auto [code, message] = caught([&] {
    mpi::allreduce(
        [&]() -> State {
          const Error why(ErrorCode::truncated, "part 7 ends early; fetch it again, all of it");
          if (rank != bad) return {};
          faults.allocations_left = 0;
          throw why;
        },
        MPI_COMM_WORLD);
  });
  faults.allocations_left = -1;
  EXPECT(code == ErrorCode::truncated);
  EXPECT(message.find("rank " + std::to_string(bad) + ": ") == 0);
}

// Lets the allocations of a rank fail, one in each of many merges.
//   merge  merges what all ranks have to `whole`
template <class S, class Merge>
void throws_wherever_memory_ends(int bad, const S& whole, Merge merge) {
  for (uint64_t failed = 1, k = 0; failed != 0; ++k) {
    S all;
    const auto [code, message] = caught([&] {
      if (rank == bad) faults.allocations_left = static_cast<long>(k);
      all = merge();
    });
    const bool spared = faults.allocations_left >= 0, out = code == ErrorCode::out_of_memory;
    faults.allocations_left = -1;
    EXPECT(out || (code == ErrorCode::ok && all == whole));
    const bool alone = ranks == 1 && message == "memory ran out";
    EXPECT(!out || alone || message == "rank " + std::to_string(bad) + ": memory ran out");
    // Checks that all ranks have the same result.
    uint64_t said[] = {out ? 1u : 0u, out ? 0u : 1u, rank == bad && !spared ? 1u : 0u};
    mpi::detail::take_largest(said, MPI_COMM_WORLD);
    EXPECT(said[0] + said[1] == 1);
    failed = said[2];
  }
}
// With equal elements sums and squares reach their bounds, which are then compared digit by digit.
void throws_wherever_memory_ends(int bad, const char* ops, bool equal) {
  std::vector<double> x;
  for (int k = 0; k < 4 * ranks; ++k) x.push_back(equal ? 3 : k * k % 7 - 3);
  const auto part = std::span(x).subspan(4 * static_cast<std::size_t>(rank), 4);
  const State mine = gather(ops, part, {.first = 4 * static_cast<Size>(rank)});
  throws_wherever_memory_ends(bad, gather(ops, x),
                              [&] { return mpi::allreduce(mine, MPI_COMM_WORLD); });
  mpi::MergePlan plan(mine, MPI_COMM_WORLD);
  throws_wherever_memory_ends(bad, gather(ops, x), [&] { return plan.allreduce(mine); });
  const int root = ranks / 2;
  throws_wherever_memory_ends(bad, rank == root ? gather(ops, x) : State(),
                              [&] { return mpi::reduce(mine, root, MPI_COMM_WORLD); });
  const States slices = gather_states(ops, ArrayRef(part.data(), f64, {2, 2}),
                                      {.axes = {0}, .first = 2 * static_cast<Size>(rank)});
  throws_wherever_memory_ends(
      bad, gather_states(ops, ArrayRef(x.data(), f64, {2 * ranks, 2}), {.axes = {0}}),
      [&] { return mpi::allreduce(slices, MPI_COMM_WORLD); });
  // A rank with a default state, which has no kind, gets the kind from the others.
  const State one = rank == 0 ? mine : State();
  throws_wherever_memory_ends(bad, gather(ops, std::span(x).first(4)),
                              [&] { return mpi::allreduce(one, MPI_COMM_WORLD); });
}

void gives_the_answer_where_a_rank_is_late(int bad) {
  bool reached = true;
  for (long call = 0; reached; ++call) {
    faults.calls = 0;
    faults.reached = false;
    faults.next = {.kind = Fault::late, .rank = bad, .call = call};
    merge_in_every_way();
    faults.next = {};
    reached = faults.reached;
    MPI_Bcast(&reached, 1, MPI_CXX_BOOL, bad, MPI_COMM_WORLD);
    if (!reached) EXPECT(call >= 12);
  }
}

void greetings_allocate_nothing() {
  const long before = faults.allocations;
  uint64_t words[] = {static_cast<uint64_t>(rank), 7};
  mpi::detail::take_largest(words, MPI_COMM_WORLD);
  const int first = mpi::detail::first_that(rank == ranks - 1, MPI_COMM_WORLD);
  const int nobody = mpi::detail::first_that(false, MPI_COMM_WORLD);
  EXPECT(faults.allocations == before);
  EXPECT(words[0] == static_cast<uint64_t>(ranks - 1) && words[1] == 7);
  EXPECT(first == ranks - 1 && nobody == -1);
}

}  // namespace

void merge_in_every_way() {
  std::vector<double> all;
  for (int r = 0; r < ranks; ++r) all.insert(all.end(), {1.0 + r, -2});
  const auto mine = std::span(all).subspan(2 * static_cast<std::size_t>(rank), 2);
  const char *const ops = "mean,argmax", *const of_slices = "var,max";
  const State whole = gather(ops, all),
              state = gather(ops, mine, {.first = 2 * static_cast<Size>(rank)});
  const States wholes =
                   gather_states(of_slices, ArrayRef(all.data(), f64, {ranks, 2}), {.axes = {0}}),
               slices = gather_states(of_slices, ArrayRef(mine.data(), f64, {1, 2}), {.axes = {0}});
  EXPECT(mpi::allreduce(state, MPI_COMM_WORLD) == whole);
  const State sums = gather("mean,max", all), mine_of_them = gather("mean,max", mine);
  mpi::MergePlan plan(mine_of_them, MPI_COMM_WORLD);
  EXPECT(plan.allreduce(mine_of_them) == sums);
  EXPECT(mpi::reduce(state, 0, MPI_COMM_WORLD) == (rank == 0 ? whole : State()));
  EXPECT(mpi::allreduce(slices, MPI_COMM_WORLD) == wholes);
  const mpi::Block block = mpi::reduce_scatter(slices, MPI_COMM_WORLD);
  for (Size i = 0; i < block.states.size(); ++i) {
    EXPECT(block.states[i] == wholes[block.first + i]);
  }
}

// More than 4 ranks have no other steps; here their first and last rank fail.
void every_fault() {
  names_the_first_of_several();
  greetings_allocate_nothing();
  for (int bad = 0; bad < ranks; bad += ranks <= 4 ? 1 : ranks - 1) {
    throws_what_a_rank_has_met(bad);
    throws_where_a_rank_has_no_memory_for_words(bad);
    throws_wherever_memory_ends(bad, "mean,argmax", false);
    if (ranks > 3) continue;
    gives_the_answer_where_a_rank_is_late(bad);
    for (const char* ops : {"norm1", "count_nan,max"}) throws_wherever_memory_ends(bad, ops, false);
    throws_wherever_memory_ends(bad, "var", true);
  }
}

}  // namespace onefold::test
