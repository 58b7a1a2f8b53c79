// Folds over NCCL, with one thread of this process for each device. Label gpu; skipped without
// NCCL.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "gpu/ranks.hpp"
#include "onefold/nccl.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

// A communicator of all devices, at most four; empty if there is no NCCL.
const std::vector<void*>& comms() {
  static const std::vector<void*> all = [] {
    std::vector<void*> made;
    void* const library = dlopen("libnccl.so.2", RTLD_NOW);
    if (library == nullptr || !jit::Driver::get().usable()) return made;
    const auto init =
        reinterpret_cast<int (*)(void**, int, const int*)>(dlsym(library, "ncclCommInitAll"));
    made.resize(static_cast<std::size_t>(std::min(jit::Driver::get().devices(), 4)));
    const int devices[] = {0, 1, 2, 3};
    if (init(made.data(), static_cast<int>(made.size()), devices) != 0) made.clear();
    return made;
  }();
  return all;
}
#define SKIP_WITHOUT_NCCL() \
  SKIP_WITHOUT_DEVICE();    \
  if (comms().empty()) GTEST_SKIP() << "no libnccl.so.2, or it makes no communicator"

template <class F>
void on_all(F&& body) {
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < comms().size(); ++r) threads.emplace_back([&, r] { body(r); });
  for (std::thread& t : threads) t.join();
}

// Where the parts of n elements begin: odd ones, the last of them the greatest; and the end.
std::vector<std::size_t> parts_of(std::size_t n) {
  std::vector<std::size_t> begin = {0};
  for (std::size_t r = 1; r < comms().size(); ++r) begin.push_back(n * r * r / 31);
  begin.push_back(n);
  return begin;
}
template <class T>
std::vector<T> part_of(const std::vector<T>& x, const std::vector<std::size_t>& begin,
                       std::size_t r, std::size_t each = 1) {
  return {x.begin() + static_cast<std::ptrdiff_t>(begin[r] * each),
          x.begin() + static_cast<std::ptrdiff_t>(begin[r + 1] * each)};
}

TEST(GpuRanks, GetTheBitsOfOneFold) {
  SKIP_WITHOUT_NCCL();
  for (const std::size_t n : {std::size_t{1000}, std::size_t{300'001}, std::size_t{5'000'000}}) {
    const std::vector<double> x = wild(n);
    for (const char* op : {"sum", "mean", "var", "norm2", "min", "max"}) {
      const Got whole = expected(fold(op, x).list[0]);
      on_all([&](std::size_t r) {
        const std::vector<double> part = part_of(x, parts_of(n), r);
        EXPECT_EQ(fold_rank(comms()[r], static_cast<int>(r), op, part,
                            {static_cast<int64_t>(part.size())}, {}, f64, {}),
                  whole)
            << op << " " << n;
      });
    }
  }
}
TEST(GpuRanks, FindWhereTheGreatestStands) {
  SKIP_WITHOUT_NCCL();
  const std::vector<double> x = wild(100'000);
  const Got whole = expected(fold("argmax", x).list[0]);
  const std::vector<std::size_t> begin = parts_of(x.size());
  on_all([&](std::size_t r) {
    const std::vector<double> part = part_of(x, begin, r);
    EXPECT_EQ(fold_rank(comms()[r], static_cast<int>(r), "argmax", part,
                        {static_cast<int64_t>(part.size())}, {.first = begin[r]}, i64, {}),
              whole);
  });
}
TEST(GpuRanks, FoldAxes) {
  SKIP_WITHOUT_NCCL();
  constexpr int64_t rows = 500, columns = 300;
  std::vector<float> x(rows * columns);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::ldexp(static_cast<float>(i * 40503u % 997) - 400, static_cast<int>(i % 60) - 30);
  }
  const ArrayRef grid(x.data(), f32, {rows, columns});
  const std::vector<std::size_t> begin = parts_of(rows);
  for (const char* op : {"mean", "var", "max"}) {
    const Got whole = expected(fold(op, grid, {.axes = {0}}).list[0]);
    on_all([&](std::size_t r) {
      const std::vector<float> part = part_of(x, begin, r, columns);
      const auto own = static_cast<int64_t>(begin[r + 1] - begin[r]);
      EXPECT_EQ(fold_rank(comms()[r], static_cast<int>(r), op, part, {own, columns}, {.axes = {0}},
                          f32, {columns}),
                whole)
          << op;
    });
  }
}
// A fold is captured once, and replayed with other data.
TEST(GpuRanks, AreCapturedIntoGraphs) {
  SKIP_WITHOUT_NCCL();
  const std::vector<double> x = wild(10'000);
  std::vector<double> all;
  for (std::size_t r = 0; r < comms().size(); ++r) all.insert(all.end(), x.begin(), x.end());
  const Got whole = expected(fold("mean", all).list[0]);
  on_all([&](std::size_t r) {
    jit::Gpu gpu(static_cast<int>(r));
    const DeviceBytes memory(gpu, 8 * x.size()), out(gpu, 8);
    memory.write(std::vector<double>(x.size(), 1.0));
    const Stream stream;
    const auto queue = [&] {
      fold_into(OutputRef(out.data(), f64, {}), "mean",
                ArrayRef(memory.data(), f64, {static_cast<int64_t>(x.size())}),
                {.device = cuda(static_cast<int>(r)), .stream = stream.get(), .nccl = comms()[r]});
    };
    queue();
    stream.synchronize();
    EXPECT_EQ(out.read<double>(1)[0], 1.0);
    const Graph graph(stream, queue, 1 /* of this thread */);
    memory.write(x);
    for (int k = 0; k < 3; ++k) graph.replay(stream);
    stream.synchronize();
    EXPECT_EQ(out.read<std::byte>(8), whole.data);
  });
}
// Like the norms of gradients: several arrays in one message, one of them masked.
TEST(GpuRanks, FoldSeveralArraysInOneMessage) {
  SKIP_WITHOUT_NCCL();
  const std::vector<double> a = wild(70'000), b = wild(1'000'003);
  std::vector<uint8_t> chosen(a.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i % 5 < 2;
  const auto mask_of = [](const void* p, std::size_t n) {
    return Mask(ArrayRef(p, DType::boolean, {static_cast<int64_t>(n)}));
  };
  const Answers of_a = fold("mean,max", a, {.where = mask_of(chosen.data(), a.size())});
  const Answers of_b = fold("norm2", b);
  on_all([&](std::size_t r) {
    const auto own_a = part_of(a, parts_of(a.size()), r), own_b = part_of(b, parts_of(b.size()), r);
    const auto own_mask = part_of(chosen, parts_of(a.size()), r);
    jit::Gpu gpu(static_cast<int>(r));
    const DeviceBytes x(gpu, 8 * a.size()), y(gpu, 8 * b.size()), mask(gpu, a.size()), out(gpu, 24);
    x.write(own_a);
    y.write(own_b);
    mask.write(own_mask);
    std::byte* const to = out.data();
    const OutputRef outs[] = {{to, f64, {}}, {to + 8, f64, {}}, {to + 16, f64, {}}};
    const Stream stream;
    const Options options{
        .device = cuda(static_cast<int>(r)), .stream = stream.get(), .nccl = comms()[r]};
    Options some = options;
    some.where = mask_of(mask.data(), own_mask.size());
    const nccl::Fold folds[] = {
        {{outs, 2}, "mean,max", {x.data(), f64, {static_cast<int64_t>(own_a.size())}}, some},
        {{outs + 2, 1}, "norm2", {y.data(), f64, {static_cast<int64_t>(own_b.size())}}, options}};
    for (int k = 0; k < 3; ++k) nccl::fold_into(folds);
    stream.synchronize();
    std::vector<std::byte> expected = of_a.list[0].data;
    expected.insert(expected.end(), of_a.list[1].data.begin(), of_a.list[1].data.end());
    expected.insert(expected.end(), of_b.list[0].data.begin(), of_b.list[0].data.end());
    EXPECT_EQ(out.read<std::byte>(24), expected);
  });
}
// One process for each device, as launchers start them: this program starts itself.
struct UniqueId {
  char bytes[128];
};
void fold_as_rank(int rank, int ranks, const UniqueId& id) {
  void* const library = dlopen("libnccl.so.2", RTLD_NOW);
  const auto init =
      reinterpret_cast<int (*)(void**, int, UniqueId, int)>(dlsym(library, "ncclCommInitRank"));
  const jit::Gpu gpu(rank);
  const jit::Gpu::Current current(gpu);
  void* comm = nullptr;
  ASSERT_EQ(init(&comm, ranks, id, rank), 0);
  const std::vector<double> x = wild(100'000);
  const std::size_t n = x.size(), k = static_cast<std::size_t>(rank),
                    all = static_cast<std::size_t>(ranks);
  const std::vector<double> part(
      x.begin() + static_cast<std::ptrdiff_t>(n * k * k / (all * all)),
      x.begin() + static_cast<std::ptrdiff_t>(n * (k + 1) * (k + 1) / (all * all)));
  for (const char* op : {"sum", "var", "max"}) {
    EXPECT_EQ(fold_rank(comm, rank, op, part, {static_cast<int64_t>(part.size())}, {}, f64, {}),
              expected(fold(op, x).list[0]))
        << op;
  }
  const State mine = gather("mean,min", part);
  EXPECT_EQ(nccl::allreduce(mine, comm), gather("mean,min", x));
}
TEST(GpuRanks, MayBeProcesses) {
  SKIP_WITHOUT_DEVICE();
  if (const char* const told = std::getenv("ONEFOLD_TEST_RANK")) {
    UniqueId id;
    int rank = 0, ranks = 0;
    std::ifstream file(told, std::ios::binary);
    ASSERT_TRUE(file.read(id.bytes, sizeof id.bytes) && file >> rank >> ranks);
    return fold_as_rank(rank, ranks, id);
  }
  void* const library = dlopen("libnccl.so.2", RTLD_NOW);
  if (library == nullptr) GTEST_SKIP() << "no libnccl.so.2";
  UniqueId id;
  ASSERT_EQ(reinterpret_cast<int (*)(UniqueId*)>(dlsym(library, "ncclGetUniqueId"))(&id), 0);
  const int ranks = std::min(jit::Driver::get().devices(), 4);
  std::vector<FILE*> processes;
  std::vector<std::string> files;
  for (int r = 0; r < ranks; ++r) {
    files.push_back(testing::TempDir() + "onefold_rank_" + std::to_string(getpid()) + "_" +
                    std::to_string(r));
    std::ofstream(files.back(), std::ios::binary).write(id.bytes, sizeof id.bytes)
        << r << " " << ranks;
    const std::string command = "ONEFOLD_TEST_RANK=" + files.back() + " timeout 120 " +
                                std::filesystem::read_symlink("/proc/self/exe").string() +
                                " --gtest_filter=GpuRanks.MayBeProcesses --gtest_brief=1 2>&1";
    processes.push_back(popen(command.c_str(), "r"));
  }
  for (FILE* const process : processes) {
    std::string said;
    for (int c = 0; (c = std::fgetc(process)) != EOF;) said += static_cast<char>(c);
    EXPECT_EQ(pclose(process), 0) << said;
  }
  for (const std::string& file : files) std::filesystem::remove(file);
}
TEST(GpuRanks, MergeStates) {
  SKIP_WITHOUT_NCCL();
  const std::vector<double> x = wild(1000);
  const State one = gather("mean,var,min", x);
  State whole = one;
  for (std::size_t r = 1; r < comms().size(); ++r) whole.merge(one);
  on_all([&](std::size_t r) {
    EXPECT_EQ(nccl::allreduce(gather("mean,var,min", x), comms()[r]), whole);
  });
}

}  // namespace ONEFOLD_FILE
