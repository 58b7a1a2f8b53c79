// Folds over NCCL, a thread a device of this process. Label gpu; skipped without NCCL.
#include <dlfcn.h>

#include <thread>

#include "gpu/ranks.hpp"
#include "onefold/nccl.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

// One communicator of all devices, two at most; empty where there is no NCCL.
const std::vector<void*>& comms() {
  static const std::vector<void*> all = [] {
    std::vector<void*> made;
    void* const library = dlopen("libnccl.so.2", RTLD_NOW);
    if (library == nullptr || !jit::Driver::get().usable()) return made;
    const auto init =
        reinterpret_cast<int (*)(void**, int, const int*)>(dlsym(library, "ncclCommInitAll"));
    made.resize(static_cast<std::size_t>(std::min(jit::Driver::get().devices(), 2)));
    const int devices[] = {0, 1};
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

TEST(GpuRanks, GetTheBitsOfOneFold) {
  SKIP_WITHOUT_NCCL();
  for (const std::size_t n : {std::size_t{1000}, std::size_t{300'001}, std::size_t{5'000'000}}) {
    const std::vector<double> x = wild(n);
    for (const char* op : {"sum", "mean", "var", "norm2", "min", "max"}) {
      const Got whole = expected(fold(op, x).list[0]);
      on_all([&](std::size_t r) {
        const std::size_t cut = comms().size() == 1 ? n : n / 3;
        const std::vector<double> part(x.begin() + static_cast<std::ptrdiff_t>(r == 0 ? 0 : cut),
                                       x.begin() + static_cast<std::ptrdiff_t>(r == 0 ? cut : n));
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
  const std::size_t cut = comms().size() == 1 ? x.size() : 12'345;
  on_all([&](std::size_t r) {
    const std::size_t begin = r == 0 ? 0 : cut, end = r == 0 ? cut : x.size();
    const std::vector<double> part(x.begin() + static_cast<std::ptrdiff_t>(begin),
                                   x.begin() + static_cast<std::ptrdiff_t>(end));
    EXPECT_EQ(fold_rank(comms()[r], static_cast<int>(r), "argmax", part,
                        {static_cast<int64_t>(part.size())}, {.first = begin}, i64, {}),
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
  const int64_t cut = comms().size() == 1 ? rows : 77;
  for (const char* op : {"mean", "var", "max"}) {
    const Got whole = expected(fold(op, grid, {.axes = {0}}).list[0]);
    on_all([&](std::size_t r) {
      const int64_t begin = r == 0 ? 0 : cut, end = r == 0 ? cut : rows;
      const std::vector<float> part(x.begin() + begin * columns, x.begin() + end * columns);
      EXPECT_EQ(fold_rank(comms()[r], static_cast<int>(r), op, part, {end - begin, columns},
                          {.axes = {0}}, f32, {columns}),
                whole)
          << op;
    });
  }
}
// Captured once, and replayed over data that have changed.
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
TEST(GpuRanks, MergeStates) {
  SKIP_WITHOUT_NCCL();
  const std::vector<double> x = wild(1000);
  State whole = gather("mean,var,min", x);
  if (comms().size() == 2) whole.merge(whole);
  on_all([&](std::size_t r) {
    EXPECT_EQ(nccl::allreduce(gather("mean,var,min", x), comms()[r]), whole);
  });
}

}  // namespace
