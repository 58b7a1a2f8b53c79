// Folds over a communicator of NCCL, whose ranks are threads with simulated devices.
#include <cmath>
#include <limits>
#include <thread>

#include "driver/device.hpp"
#include "gpu/ranks.hpp"
#include "onefold/nccl.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

// A communicator of several ranks; making it loads NCCL into the process.
class World {
 public:
  explicit World(int ranks) : ranks_(ranks), world_(call<void*(int)>("onefold_new_world")(ranks)) {}
  int ranks() const { return ranks_; }
  void* comm(int rank) const { return call<void*(void*, int)>("onefold_new_comm")(world_, rank); }
  // The number of collectives so far.
  int messages(int rank) const { return call<int(void*, int)>("onefold_messages")(world_, rank); }
  void group(bool grouped) const { call<void(void*, bool)>("onefold_group")(world_, grouped); }
  void fail(int code) const { call<void(void*, int)>("onefold_fail")(world_, code); }
  // Calls body(rank) on one thread for each rank.
  template <class F>
  void on_all(F&& body) const {
    std::vector<std::thread> threads;
    for (int r = 0; r < ranks_; ++r) threads.emplace_back([&, r] { body(r); });
    for (std::thread& t : threads) t.join();
  }

 private:
  template <class F>
  static F* call(const char* name) {
    static void* const library = dlopen("libnccl.so.2", RTLD_NOW);
    return reinterpret_cast<F*>(dlsym(library, name));
  }
  int ranks_;
  void* world_;
};

class SimulatedRanks : public testing::Test {
 protected:
  void SetUp() override {
    control().devices = 5;
    if (jit::Driver::get().devices() < 5) GTEST_SKIP() << "this process has begun with fewer";
  }
  void TearDown() override { EXPECT_EQ(control().flaws, ""); }
};

TEST_F(SimulatedRanks, GetTheBitsOfOneFold) {
  const std::vector<double> x = wild(3000);
  for (const int ranks : {1, 2, 3, 5}) {
    const World world(ranks);
    for (const char* op : {"sum", "var"}) {
      const Got whole = expected(fold(op, x).list[0]);
      world.on_all([&](int r) {
        // Parts have odd lengths; the last one may be empty.
        const auto begin = static_cast<std::ptrdiff_t>(x.size()) * r * r / (ranks * ranks);
        const auto end = r + 1 == ranks ? static_cast<std::ptrdiff_t>(x.size())
                                        : static_cast<std::ptrdiff_t>(x.size()) * (r + 1) *
                                              (r + 1) / (ranks * ranks);
        const std::vector<double> part(x.begin() + begin, x.begin() + end);
        const auto n = static_cast<int64_t>(part.size());
        EXPECT_EQ(fold_rank(world.comm(r), r, op, part, {n}, {}, f64, {}), whole)
            << op << " " << ranks;
      });
    }
  }
}
TEST_F(SimulatedRanks, MayHaveNothing) {
  const World world(3);
  const std::vector<double> x = {1e300, 1, -1e300};
  world.on_all([&](int r) {
    const std::vector<double> part = r == 1 ? x : std::vector<double>();
    const auto n = static_cast<int64_t>(part.size());
    EXPECT_EQ(fold_rank(world.comm(r), r, "sum", part, {n}, {}, f64, {}),
              expected(fold("sum", x).list[0]));
  });
}
TEST_F(SimulatedRanks, SeeNanAndInfinitiesOfOthers) {
  const World world(2);
  const double inf = std::numeric_limits<double>::infinity();
  for (const double odd : {std::nan(""), inf, -inf}) {
    const std::vector<double> x = {1, 2, odd, 4};
    for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
      const Got whole = expected(fold("sum", x, {.nan = nan}).list[0]);
      world.on_all([&](int r) {
        const std::vector<double> part(x.begin() + 2 * r, x.begin() + 2 * r + 2);
        EXPECT_EQ(fold_rank(world.comm(r), r, "sum", part, {2}, {.nan = nan}, f64, {}), whole);
      });
    }
  }
}
// Indices count from .first; of equal elements the first one wins, on whichever rank it is.
TEST_F(SimulatedRanks, FindWhereTheLeastStands) {
  std::vector<int32_t> x(400);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int32_t>((i * 7 + 3) % 50);
  const World world(4);
  const Got whole = expected(fold("argmin", x).list[0]);
  world.on_all([&](int r) {
    const std::vector<int32_t> part(x.begin() + 100 * r, x.begin() + 100 * r + 100);
    const Options options{.first = static_cast<Size>(100 * r)};
    EXPECT_EQ(fold_rank(world.comm(r), r, "argmin", part, {100}, options, i64, {}), whole);
  });
}
// Batches on several ranks, with statistics of each column: rows are divided among ranks, and each
// rank has all columns.
TEST_F(SimulatedRanks, FoldAxes) {
  constexpr int64_t rows = 60, columns = 9;
  std::vector<float> x(rows * columns);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::ldexp(static_cast<float>(i * 40503u % 997) - 400, static_cast<int>(i % 60) - 30);
  }
  const ArrayRef grid(x.data(), f32, {rows, columns});
  const Got whole = expected(fold("var", grid, {.axes = {0}}).list[0]);
  const World world(3);
  world.on_all([&](int r) {
    const int64_t begin = r == 0 ? 0 : r == 1 ? 13 : 60, end = r == 0 ? 13 : 60;
    const std::vector<float> part(x.begin() + begin * columns, x.begin() + end * columns);
    EXPECT_EQ(fold_rank(world.comm(r), r, "var", part, {end - begin, columns}, {.axes = {0}}, f32,
                        {columns}),
              whole);
  });
}
// A mask has the shape of the part; it may select nothing on some ranks.
TEST_F(SimulatedRanks, FoldWhatMasksChoose) {
  const std::vector<double> x = wild(300);
  std::vector<uint8_t> chosen(x.size());
  for (std::size_t i = 0; i < 100; ++i) chosen[i] = i % 3 == 0;
  for (std::size_t i = 200; i < 300; ++i) chosen[i] = i % 2;
  const auto mask_of = [](const void* p, std::size_t n) {
    return Mask(ArrayRef(p, DType::boolean, {static_cast<int64_t>(n)}));
  };
  const Got whole =
      expected(fold("sum", x, {.where = mask_of(chosen.data(), chosen.size())}).list[0]);
  const World world(3);
  world.on_all([&](int r) {
    jit::Gpu gpu(r);
    const DeviceBytes mask(gpu, 100);
    const auto begin = chosen.begin() + 100 * r;
    mask.write(std::vector<uint8_t>(begin, begin + 100));
    const std::vector<double> part(x.begin() + 100 * r, x.begin() + 100 * r + 100);
    EXPECT_EQ(fold_rank(world.comm(r), r, "sum", part, {100}, {.where = mask_of(mask.data(), 100)},
                        f64, {}),
              whole);
  });
}
// A transposed part has its answers in the same order as the others.
TEST_F(SimulatedRanks, AgreeOnTheOrderOfAnswers) {
  std::vector<double> x(4 * 6);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * i) + 0.25;
  const World world(2);
  std::vector<double> turned(x.size());
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 6; ++j) turned[j * 4 + i] = x[i * 6 + j];
  }
  std::vector<double> twice = x;
  twice.insert(twice.end(), x.begin(), x.end());
  const Answers both = fold("sum", ArrayRef(twice.data(), f64, {2, 4, 6}), {.axes = {0}});
  world.on_all([&](int r) {
    jit::Gpu gpu(r);
    const DeviceBytes memory(gpu, 8 * 24), out(gpu, 8 * 24), status(gpu, 24);
    memory.write(r == 0 ? x : turned);
    const ArrayRef part = r == 0 ? ArrayRef(memory.data(), f64, {1, 4, 6})
                                 : ArrayRef(memory.data(), f64, {1, 4, 6}, {192, 8, 32});
    fold_into(OutputRef(out.data(), f64, {4, 6}, reinterpret_cast<Status*>(status.data())), "sum",
              part, {.axes = {0}, .device = cuda(r), .nccl = world.comm(r)});
    gpu.synchronize_all();
    EXPECT_EQ(out.read<std::byte>(8 * 24), both.list[0].data);
  });
}
// If other ranks make another request with as many words, or NCCL has not yet added, the answer has
// a bad status and no number.
TEST_F(SimulatedRanks, GiveNoAnswerThatOthersDoNotShare) {
  const World world(2);
  const std::vector<double> x = {1, 2, 3};
  const Got none{std::vector<std::byte>(8), {Status::mismatch}, ""};
  world.on_all([&](int r) {
    const NanPolicy nan = r == 0 ? NanPolicy::omit : NanPolicy::propagate;
    EXPECT_EQ(fold_rank(world.comm(r), r, "sum", x, {3}, {.nan = nan}, f64, {}), none);
  });
  world.group(true);
  world.on_all(
      [&](int r) { EXPECT_EQ(fold_rank(world.comm(r), r, "sum", x, {3}, {}, f64, {}), none); });
}
// Sums, extremes and folds along axes in one message; one rank has no elements for one of them.
TEST_F(SimulatedRanks, FoldSeveralArraysInOneMessage) {
  const std::vector<double> a = wild(300);
  std::vector<int32_t> b(200);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<int32_t>((i * 7 + 3) % 50) - 9;
  std::vector<float> c(24);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = std::ldexp(3.0f, static_cast<int>(i) - 12);
  const Answer of_a = fold("sum", a).list[0], of_b = fold("argmin", b).list[0],
               of_c = fold("var", ArrayRef(c.data(), f32, {6, 4}), {.axes = {0}}).list[0];
  for (const int ranks : {1, 2, 3}) {
    const World world(ranks);
    world.on_all([&](int r) {
      const auto part = [&]<class T>(const std::vector<T>& x, std::size_t each) {
        const std::size_t rows = x.size() / each, n = static_cast<std::size_t>(ranks);
        const std::size_t begin = rows * static_cast<std::size_t>(r) / n * each,
                          end = rows * static_cast<std::size_t>(r + 1) / n * each;
        return std::vector<T>(x.begin() + static_cast<std::ptrdiff_t>(begin),
                              x.begin() + static_cast<std::ptrdiff_t>(end));
      };
      const std::vector<double> own_a = r == 0 ? a : std::vector<double>();
      const std::vector<int32_t> own_b = part(b, 1);
      const std::vector<float> own_c = part(c, 4);
      jit::Gpu gpu(r);
      const DeviceBytes x(gpu, 4096), y(gpu, 4096), z(gpu, 4096), out(gpu, 64);
      if (!own_a.empty()) x.write(own_a);
      y.write(own_b);
      z.write(own_c);
      auto* const to = out.data();
      const OutputRef outs[] = {{to, f64, {}},
                                {to + 8, i64, {}, reinterpret_cast<Status*>(to + 40)},
                                {to + 16, f32, {4}}};
      Options options{.device = cuda(r), .nccl = world.comm(r)};
      Options indexed = options, columns = options;
      indexed.first = b.size() * static_cast<Size>(r) / static_cast<Size>(ranks);
      columns.axes = {0};
      const auto size = [](const auto& v) { return static_cast<int64_t>(v.size()); };
      const nccl::Fold folds[] = {
          {{&outs[0], 1}, "sum", {x.data(), f64, {size(own_a)}}, options},
          {{&outs[1], 1}, "argmin", {y.data(), i32, {size(own_b)}}, indexed},
          {{&outs[2], 1}, "var", {z.data(), f32, {size(own_c) / 4, 4}}, columns}};
      nccl::fold_into(folds);
      gpu.synchronize_all();
      std::vector<std::byte> expected = of_a.data;
      expected.insert(expected.end(), of_b.data.begin(), of_b.data.end());
      expected.insert(expected.end(), of_c.data.begin(), of_c.data.end());
      EXPECT_EQ(out.read<std::byte>(32), expected) << ranks;
      EXPECT_EQ(world.messages(r), 2);
    });
  }
}
TEST_F(SimulatedRanks, FoldOfOneMessageOnlyWhatBelongsTogether) {
  const World world(1), other(1);
  jit::Gpu gpu(0);
  const DeviceBytes x(gpu, 64), out(gpu, 64);
  x.write(std::vector<double>(8, 1));
  auto* const to = reinterpret_cast<double*>(out.data());
  const OutputRef first(to, f64, {}), second(to + 1, f64, {});
  const ArrayRef a(x.data(), f64, {8});
  const Options options{.device = cuda(0), .nccl = world.comm(0)};
  const auto why_not = [&](const OutputRef& o, Options own) -> std::string {
    const nccl::Fold folds[] = {{{&first, 1}, "sum", a, options}, {{&o, 1}, "var", a, own}};
    try {
      nccl::fold_into(folds);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(why_not(second, options), "");
  EXPECT_EQ(
      why_not(first, options),
      "sum: the output of sum and the output of var share memory; each needs memory of its own");
  Options own = options;
  own.nccl = other.comm(0);
  EXPECT_EQ(why_not(second, own),
            "var: folds in one NCCL message must have the same .device, .stream and .nccl, but "
            "these differ from those of sum");
  own = options;
  own.weights = a;
  EXPECT_EQ(
      why_not(second, own),
      "var: several folds in one NCCL message do not support weights; call fold_into once for "
      "each");
  double host = 0;
  EXPECT_NE(why_not(OutputRef(&host, f64, {}), options).find("needs fold_into"), std::string::npos);
  EXPECT_NO_THROW(nccl::fold_into({}));
}
TEST_F(SimulatedRanks, SayWhatIsWrong) {
  const World world(1);
  const std::vector<double> x = {1, 2, 3};
  world.fail(6);
  const Got failed = fold_rank(world.comm(0), 0, "sum", x, {3}, {}, f64, {});
  EXPECT_EQ(failed.code, ErrorCode::peer_failed);
  EXPECT_EQ(failed.error,
            "sum: an earlier collective of this communicator failed: as the test wants it (NCCL "
            "error 6)");
  world.fail(0);
  const auto code_of = [&](const auto& call) {
    try {
      call();
    } catch (const Error& e) {
      return e.code();
    }
    return ErrorCode::ok;
  };
  void* const comm = world.comm(0);
  EXPECT_EQ(code_of([&] { fold("sum", x, {.nccl = comm}); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { fold("sum", x, {.device = cuda(0), .nccl = comm}); }),
            ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { gather("sum", x, {.device = cuda(0), .nccl = comm}); }),
            ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] {
              fold_segments("sum", x, std::vector<int64_t>{0, 3}, {.nccl = comm});
            }),
            ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { gather("sum", x).answer("sum", {.nccl = comm}); }),
            ErrorCode::bad_option);
  double host = 0;
  EXPECT_EQ(
      code_of([&] { fold_into(std::span(&host, 1), "sum", x, {.device = cuda(0), .nccl = comm}); }),
      ErrorCode::bad_option);
  // Each rank would add the initial element.
  EXPECT_EQ(fold_rank(comm, 0, "sum", x, {3}, {.initial = 1.0}, f64, {}).code,
            ErrorCode::bad_option);
  // The communicator's device is cuda:0, so this device is refused.
  jit::Gpu gpu(1);
  const DeviceBytes memory(gpu, 24), out(gpu, 8);
  memory.write(x);
  EXPECT_EQ(code_of([&] {
              fold_into(OutputRef(out.data(), f64, {}), "sum", ArrayRef(memory.data(), f64, {3}),
                        {.device = cuda(1), .nccl = comm});
            }),
            ErrorCode::bad_option);
}

// Merges states that are in host memory.
TEST_F(SimulatedRanks, MergeStates) {
  const std::vector<double> x = wild(1000);
  const State whole = gather("mean,var,argmin", x);
  for (const int ranks : {1, 2, 3}) {
    const World world(ranks);
    world.on_all([&](int r) {
      const std::size_t begin = x.size() * static_cast<std::size_t>(r) /
                                static_cast<std::size_t>(ranks),
                        end = x.size() * static_cast<std::size_t>(r + 1) /
                              static_cast<std::size_t>(ranks);
      const std::span part(&x[begin], end - begin);
      const State mine = gather("mean,var,argmin", part, {.first = begin});
      EXPECT_EQ(nccl::allreduce(mine, world.comm(r)), whole);
    });
  }
  const States columns =
      gather_states("mean,var,argmin", ArrayRef(x.data(), f64, {100, 10}), {.axes = {0}});
  const World world(2);
  world.on_all([&](int r) {
    const States mine = gather_states("mean,var,argmin",
                                      ArrayRef(&x[r == 0 ? 0 : 300], f64, {r == 0 ? 30 : 70, 10}),
                                      {.axes = {0}, .first = r == 0 ? 0u : 30u});
    EXPECT_EQ(nccl::allreduce(mine, world.comm(r)), columns);
  });
  world.on_all(
      [&](int r) { EXPECT_EQ(nccl::allreduce(r == 0 ? whole : State(), world.comm(r)), whole); });
}
TEST_F(SimulatedRanks, AllThrowWhatOneMeets) {
  const World world(3);
  world.on_all([&](int r) {
    const Error mine(ErrorCode::truncated, "part.npy ends early");
    try {
      nccl::allreduce(State(), world.comm(r), nullptr, r == 1 ? &mine : nullptr);
      ADD_FAILURE();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::truncated);
      EXPECT_STREQ(e.what(), "rank 1: part.npy ends early");
    }
  });
  world.on_all([&](int r) {
    try {
      nccl::allreduce(gather(r == 2 ? "min" : "sum", std::vector<double>{1}), world.comm(r));
      ADD_FAILURE();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_state);
    }
  });
}

}  // namespace ONEFOLD_FILE
