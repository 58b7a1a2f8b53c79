// Compares states over MPI with MPI_Allreduce of as many bytes. Run it under mpirun.
//
//   mpirun -n 8 mpi_merge
//
// Prints microseconds of a call on the slowest rank, medians of 9 rounds of 200. Then compares a
// sum of 2^26 f64 on each rank with merging, one without, and a plain read by all ranks at once.
// Last come states of many slices.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "onefold/mpi_plan.hpp"
#include "onefold/mpi_states.hpp"
#include "readers.hpp"

namespace {

using namespace onefold;

double median_us(int calls, const std::function<void()>& f) {
  std::vector<double> us;
  for (int round = 0; round < 10; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int k = 0; k < calls; ++k) f();
    double mine = 1e6 * (MPI_Wtime() - begin) / calls, slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (round != 0) us.push_back(slowest);
  }
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

// Merges states of slices, into new memory and in place, and compares with MPI_Allreduce of as many
// bytes, between two buffers and in place. Prints microseconds of the slowest rank, medians of 31
// rounds. No two slices have equal elements.
void slices_against_mpi(int rank, const std::vector<double>& some) {
  if (rank == 0)
    std::printf("us a merge of all slices\n%-16s %8s %6s %10s %10s %10s %10s\n", "ops", "slices",
                "bytes", "allreduce", "moved", "MPI", "in place");
  for (const Size slices : {2000, 20000, 100000}) {
    std::vector<double> images(10 * slices);
    for (std::size_t i = 0; i < images.size(); ++i)
      images[i] = some[(i * 7 + i / slices * 131) % 1000] - 185;
    for (const std::string ops : {"sum", "mean,var", "min,max", "mean,var,min,max"}) {
      const ArrayRef stack(images.data(), DType::f64, Dims(10, static_cast<int64_t>(slices)));
      const States mine = gather_states(ops, stack, {.axes = {0}});
      const Size words = slices * StatesMessage(mine).words_each();
      std::vector<int64_t> from(words), to(words);
      std::vector<double> us[4];
      States moved, all;
      for (int round = 0; round < 31; ++round) {
        const auto timed = [&](int which, const std::function<void()>& f) {
          MPI_Barrier(MPI_COMM_WORLD);
          const double begin = MPI_Wtime();
          f();
          double took = 1e6 * (MPI_Wtime() - begin), slowest = 0;
          MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
          us[which].push_back(slowest);
        };
        const auto mpi_sum = [&](const void* source) {
          MPI_Allreduce(source, to.data(), static_cast<int>(words), MPI_INT64_T, MPI_SUM,
                        MPI_COMM_WORLD);
        };
        moved = mine;
        timed(0, [&] { all = mpi::allreduce(mine, MPI_COMM_WORLD); });
        timed(1, [&] { moved = mpi::allreduce(std::move(moved), MPI_COMM_WORLD); });
        timed(2, [&] { mpi_sum(from.data()); });
        timed(3, [&] { mpi_sum(MPI_IN_PLACE); });
      }
      for (auto& times : us) std::sort(times.begin(), times.end());
      if (rank == 0)
        std::printf("%-16s %8zu %6zu %10.0f %10.0f %10.0f %10.0f\n", ops.c_str(), slices,
                    8 * words / slices, us[0][15], us[1][15], us[2][15], us[3][15]);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<double> some(1000);
  for (std::size_t i = 0; i < some.size(); ++i) {
    some[i] = static_cast<double>((i + static_cast<std::size_t>(rank)) * 7919 % 1000) * 0.37;
  }
  if (rank == 0)
    std::printf("%d ranks, us a call\n%-16s %8s %10s %10s %10s\n", ranks, "ops", "bytes",
                "allreduce", "MergePlan", "MPI");
  for (const std::string ops : {"sum", "mean,var", "min,max", "mean,var,min,max"}) {
    const State mine = gather(ops, some);
    const Message message(mine);
    const std::size_t bytes = 8 * message.added().size() + message.carried().size();
    std::vector<int64_t> from((bytes + 7) / 8), to(from.size());
    const double ours = median_us(200, [&] { mpi::allreduce(mine, MPI_COMM_WORLD); });
    mpi::MergePlan plan(mine, MPI_COMM_WORLD);
    const double planned = median_us(200, [&] { plan.allreduce(mine); });
    const double plain = median_us(200, [&] {
      MPI_Allreduce(from.data(), to.data(), static_cast<int>(from.size()), MPI_INT64_T, MPI_SUM,
                    MPI_COMM_WORLD);
    });
    if (rank == 0)
      std::printf("%-16s %8zu %10.1f %10.1f %10.1f\n", ops.c_str(), bytes, ours, planned, plain);
  }
  slices_against_mpi(rank, some);
  std::vector<double> large(std::size_t{1} << 26);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<double>(i % 1000) * 0.37;
  State all;
  const Options one{.threads = 1};
  const double alone = median_us(3, [&] { all = gather("sum", large, one); });
  const double merged =
      median_us(3, [&] { all = mpi::allreduce(gather("sum", large, one), MPI_COMM_WORLD); });
  const auto* const memory = reinterpret_cast<const std::byte*>(large.data());
  const bench::Reader reader = bench::fastest_reader(memory, 8 * large.size(), 1);
  const double read = median_us(3, [&] { reader.read(memory, 8 * large.size()); });
  if (rank == 0) {
    std::printf("plain read %.1f us, %.2f of the merged sum\n", read, read / merged);
    std::printf("sum of 2^26 f64 a rank: %.1f us, merged %.1f us, %.1f GB/s of all\n", alone,
                merged, 8.0 * static_cast<double>(large.size()) * ranks / merged / 1e3);
  }
  MPI_Finalize();
}
