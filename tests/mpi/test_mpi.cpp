// Every rank runs all of this.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "generate.hpp"
#include "mpi/rank_tests.hpp"

namespace onefold {
namespace {

using test::caught, test::rank, test::ranks;

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
        mpi::MergePlan plan(rank == 0 ? mine : State(), MPI_COMM_WORLD);
        EXPECT(plan.allreduce(mine) == whole);
        EXPECT(plan.allreduce(State()).count() == 0);
        EXPECT(plan.allreduce([&] { return mine; }) == whole);
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

void different_kinds_fail_on_all_ranks() {
  if (ranks == 1) return;
  const State mine =
      rank == 1 ? gather("sum", std::vector<float>{1}) : gather("sum", std::vector<double>{1});
  const auto [code, message] = caught([&] { mpi::allreduce(mine, MPI_COMM_WORLD); });
  EXPECT(code == ErrorCode::bad_state);
  EXPECT(message.find("ranks 0 and 1: ") == 0);
  EXPECT(message.find("f64 and f32") != std::string::npos);
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

// A plan is good for more merges after one that failed.
void plans_outlive_errors_of_a_rank() {
  const std::vector<double> x{1, 2, 4};
  for (const char* ops : {"mean,var", "sum,min,max", "argmax"}) {
    const auto part = [&] { return gather(ops, x, {.first = 3 * static_cast<Size>(rank)}); };
    mpi::MergePlan plan(part(), MPI_COMM_WORLD);
    const State whole = plan.allreduce(part);
    EXPECT(whole == mpi::allreduce(part(), MPI_COMM_WORLD));
    for (int bad = 0; bad < ranks; ++bad) {
      const std::string name = "rank " + std::to_string(bad) + ": ";
      const auto broken = caught([&] {
        plan.allreduce([&] {
          if (rank == bad) throw Error(ErrorCode::truncated, "part 7 ends early");
          return part();
        });
      });
      EXPECT(broken.first == ErrorCode::truncated);
      EXPECT(ranks == 1 || broken.second == name + "part 7 ends early");
      if (ranks == 1) continue;
      const auto other = caught([&] {
        plan.allreduce(rank == bad ? gather("count_nan", std::vector<float>{1}) : part());
      });
      EXPECT(other.first == ErrorCode::bad_state);
      EXPECT(other.second.find("f64") != std::string::npos);
      EXPECT(plan.allreduce(part) == whole);
    }
  }
  const State odd = rank == 1 ? gather("sum", std::vector<float>{1}) : gather("sum", x);
  if (ranks > 1) {
    EXPECT(caught([&] { mpi::MergePlan(odd, MPI_COMM_WORLD); }).first == ErrorCode::bad_state);
  }
  mpi::MergePlan none(State(), MPI_COMM_WORLD);
  EXPECT(none.allreduce(State()) == State());
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
    EXPECT(mpi::allreduce(States(mine), MPI_COMM_WORLD) == whole);
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
  if (argc == 2) {  // "merge"
    test::merge_in_every_way();
    if (rank == 0) std::puts("merged");
  } else {
    every_type_gives_the_bytes_of_one_process();
    a_rank_may_bring_nothing_of_no_kind();
    different_kinds_fail_on_all_ranks();
    parts_counted_twice_fail_on_all_ranks();
    plans_outlive_errors_of_a_rank();
    slices_of_every_type_and_number();
    slices_of_different_widths_meet();
    slices_that_cannot_meet_fail_on_all_ranks();
    test::every_fault();
  }
  MPI_Allreduce(MPI_IN_PLACE, &test::failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return test::failures == 0 ? 0 : 1;
}
