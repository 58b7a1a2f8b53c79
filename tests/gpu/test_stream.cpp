// Answers that stay on the device, in stream order. Label gpu.
#include <atomic>
#include <thread>

#include "check.hpp"
#include "gpu/device.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

constexpr std::size_t step = 16;  // bytes from one answer to the next, its status at 8

// Returns outputs on the device for the ops of a plan.
std::vector<OutputRef> outputs(const DeviceBytes& memory, std::span<const Answer> like) {
  std::vector<OutputRef> outs;
  for (const Answer& a : like) {
    std::byte* p = memory.data() + step * outs.size();
    outs.emplace_back(p, a.dtype, Dims(1), reinterpret_cast<Status*>(p + 8));
  }
  return outs;
}

// Says how the outputs differ from the processor's answers.
std::string differences(const std::vector<uint8_t>& bytes, std::span<const Answer> expected) {
  std::string s;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    Value got{.dtype = expected[k].dtype, .status = static_cast<Status>(bytes[step * k + 8])};
    std::memcpy(&got.bits, &bytes[step * k], bytes_of(got.dtype));
    if (got == expected[k][0]) continue;
    s += expected[k].op + ": " + std::to_string(got.bits) + " " + name_of(got.status) + ", not " +
         std::to_string(expected[k][0].bits) + " " + name_of(expected[k][0].status) + "\n";
  }
  return s;
}

class GpuStream : public testing::TestWithParam<DType> {};

TEST_P(GpuStream, LeavesTheBitsOfTheProcessorOnTheDevice) {
  SKIP_WITHOUT_DEVICE();
  const DType t = GetParam();
  jit::Gpu gpu;
  const Stream stream;
  constexpr std::size_t most = 1 << 17;
  const DeviceBytes memory(gpu, (most + 64) * bytes_of(t)), out(gpu, step * 32);
  Random r(static_cast<uint64_t>(t) + 3);
  for (const std::string& ops : {ops_of_one_array(t), std::string("sum"), std::string("var")}) {
    for (const std::string_view generator : generators(t)) {
      for (int round = 0; round < 3; ++round) {
        const std::size_t n = round == 0 ? pick(r, 0, 3) : pick_log(r, 1, most);
        const uint64_t seed = r();
        const Data x = generate(generator, t, n, seed);
        const std::size_t skip = pick(r, 0, 17) * bytes_of(t);
        gpu.copy_in(memory.address() + skip, x.data(), x.bytes());
        Options options{.nan = static_cast<NanPolicy>(r() % 3), .ddof = static_cast<int>(r() % 3)};
        options.wide = r() % 4 == 0;
        const Answers expected = fold(ops, ArrayRef(x.data(), t, Dims(n)), options);
        options.device = cuda();
        options.stream = stream.get();
        fold_into(outputs(out, expected.list), ops, ArrayRef(memory.data() + skip, t, Dims(n)),
                  options);
        stream.synchronize();
        ASSERT_EQ(differences(out.read<uint8_t>(step * 32), expected.list), "")
            << ops << " " << describe(generator, t, n, seed);
      }
    }
  }
}

// A single op has its own launches, which depend on the number of elements.
TEST_P(GpuStream, LeavesOneExtremeOrCountOfAnySize) {
  SKIP_WITHOUT_DEVICE();
  const DType t = GetParam();
  jit::Gpu gpu;
  const Stream stream;
  constexpr std::size_t most = 1 << 23;
  const DeviceBytes memory(gpu, (most + 64) * bytes_of(t)), out(gpu, step * 32);
  Random r(static_cast<uint64_t>(t) + 7);
  for (const std::string ops : {"min", "max", "argmin", "argmax", "min,argmax", "norminf", "any",
                                "count_nonzero", "count_nan", "count_zero,all"}) {
    for (const std::string_view generator : generators(t)) {
      const std::size_t n = pick_log(r, 1, most);
      const uint64_t seed = r();
      const Data x = generate(generator, t, n, seed);
      const std::size_t skip = pick(r, 0, 17) * bytes_of(t);
      gpu.copy_in(memory.address() + skip, x.data(), x.bytes());
      Options options{.nan = static_cast<NanPolicy>(r() % 3)};
      const Answers expected = fold(ops, ArrayRef(x.data(), t, Dims(n)), options);
      options.device = cuda();
      options.stream = stream.get();
      for (int twice = 0; twice < 2; ++twice) {
        fold_into(outputs(out, expected.list), ops, ArrayRef(memory.data() + skip, t, Dims(n)),
                  options);
      }
      stream.synchronize();
      ASSERT_EQ(differences(out.read<uint8_t>(step * 32), expected.list), "")
          << ops << " " << describe(generator, t, n, seed);
    }
  }
}

std::vector<DType> all_types() {
  return {
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) DType::name,
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  };
}
INSTANTIATE_TEST_SUITE_P(Types, GpuStream, testing::ValuesIn(all_types()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// n copies of `value` as f64 on the device.
struct Ones {
  DeviceBytes memory;
  Size n;
  Ones(jit::Gpu& gpu, Size count, double value) : memory(gpu, count * 8), n(count) {
    memory.write(std::vector<double>(count, value));
  }
  ArrayRef ref() const { return {memory.data(), f64, Dims(n)}; }
};

TEST(GpuQueue, ReturnsBeforeTheWorkIsDone) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  const Stream stream;
  const Ones x(gpu, 1 << 20, 1.0);
  const DeviceBytes out(gpu, 16);
  const OutputRef to(out.data(), f64, Dims(1), reinterpret_cast<Status*>(out.data() + 8));
  const Options options{.device = cuda(), .stream = stream.get()};
  fold_into(to, "sum", x.ref(), options);  // the first call compiles and allocates, which may wait
  stream.synchronize();
  gpu.fill(out.address(), 0xa5, 16);
  gpu.synchronize();
  std::atomic<bool> go = false;
  stream.queue(
      [](void* p) {
        while (!static_cast<std::atomic<bool>*>(p)->load()) std::this_thread::yield();
      },
      &go);
  // The stream never ends before this call, so a call that waited would hang.
  fold_into(to, "sum", x.ref(), options);
  EXPECT_EQ(out.read<uint8_t>(1)[0], 0xa5);
  go = true;
  stream.synchronize();
  EXPECT_EQ(out.read<double>(1)[0], 1 << 20);
  EXPECT_EQ(out.read<uint8_t>(1, 8)[0], 0);
}

TEST(GpuQueue, AllocatesNothingOnceWarm) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  const Stream stream;
  const Ones x(gpu, 1000, 2.0);
  const DeviceBytes out(gpu, 8);
  const auto free_bytes = [] {
    std::size_t free = 0, total = 0;
    driver<int(std::size_t*, std::size_t*)>("cuMemGetInfo_v2")(&free, &total);
    return free;
  };
  const Options options{.device = cuda(), .stream = stream.get()};
  fold_into({out.data(), f64, Dims(1)}, "sum", x.ref(), options);
  stream.synchronize();
  const std::size_t before = free_bytes();
  for (int k = 0; k < 1000; ++k) fold_into({out.data(), f64, Dims(1)}, "sum", x.ref(), options);
  stream.synchronize();
  EXPECT_EQ(free_bytes(), before);
  EXPECT_EQ(out.read<double>(1)[0], 2000);
}

TEST(GpuQueue, WithoutAStreamFollowsTheLegacyDefaultStream) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  constexpr std::size_t n = 1 << 26;
  const DeviceBytes x(gpu, n), out(gpu, 8);
  for (int k = 1; k < 4; ++k) {
    // Null means the legacy stream: the fold must come after the fill, and the copy after the fold.
    check_driver(driver<int(uint64_t, unsigned char, std::size_t, void*)>("cuMemsetD8Async")(
                     x.address(), static_cast<unsigned char>(k), n, nullptr),
                 "fill");
    fold_into({out.data(), i64, Dims(1)}, "sum", ArrayRef(x.data(), i8, Dims(n)),
              {.device = cuda()});
    int64_t sum = 0;
    check_driver(
        driver<int(void*, uint64_t, std::size_t)>("cuMemcpyDtoH_v2")(&sum, out.address(), 8),
        "copy");
    EXPECT_EQ(sum, static_cast<int64_t>(n) * k);
  }
}

TEST(GpuGraph, TwoOfOneStreamReplayAtOnceBesideEagerCalls) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  const Stream captured, one, two, eager;
  const Ones x(gpu, (1 << 20) + 3, 1.0), y(gpu, (1 << 20) + 5, 3.0), z(gpu, (1 << 20) + 7, 5.0);
  const DeviceBytes out(gpu, 64);
  const auto queue = [&](const Ones& a, int place, const Stream& s) {
    const OutputRef outs[] = {{out.data() + 16 * place, f64, Dims(1)},
                              {out.data() + 16 * place + 8, f64, Dims(1)}};
    fold_into(outs, "sum,mean", a.ref(), {.device = cuda(), .stream = s.get()});
  };
  // The first call of a kind is captured, too.
  const Graph first(captured, [&] { queue(x, 0, captured); });
  const Graph second(captured, [&] { queue(y, 1, captured); });
  for (int k = 0; k < 200; ++k) {
    first.replay(one);
    second.replay(two);
    queue(z, 2, eager);
    if (k % 50 != 0) continue;
    for (const Stream* s : {&one, &two, &eager}) s->synchronize();
    const std::vector<double> got = out.read<double>(6);
    const std::vector<double> expected = {(1 << 20) + 3.0,       1, 3 * ((1 << 20) + 5.0), 3,
                                          5 * ((1 << 20) + 7.0), 5};
    ASSERT_EQ(got, expected) << k;
    gpu.fill(out.address(), 0, 64);
    gpu.synchronize();
  }
  for (const Stream* s : {&one, &two, &eager}) s->synchronize();
}

TEST(GpuGraph, GivesItsWorkspaceBack) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  const Stream s;
  const Ones x(gpu, 1000, 1.0);
  const DeviceBytes out(gpu, 8);
  const auto free_bytes = [] {
    std::size_t free = 0, total = 0;
    driver<int(std::size_t*, std::size_t*)>("cuMemGetInfo_v2")(&free, &total);
    return free;
  };
  std::size_t before = 0;
  for (int k = 0; k < 1200; ++k) {
    const Graph graph(s, [&] {
      fold_into({out.data(), f64, Dims(1)}, "sum", x.ref(), {.device = cuda(), .stream = s.get()});
    });
    graph.replay(s);
    s.synchronize();
    if (k == 50) before = free_bytes();
  }
  // 1,150 workspaces would be 4.1 GB; the driver takes 40 to 70 MiB now and then.
  EXPECT_GE(free_bytes() + (256 << 20), before);
}

// However many workspaces there are, no call waits for all work, since that would end the capture.
TEST(GpuStreams, BeyondAHundredLeaveACaptureAlone) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  constexpr std::size_t many = 150;
  const Ones x(gpu, 1 << 17, 0.5);
  const DeviceBytes out(gpu, 8 * (many + 1));
  const std::vector<Stream> streams(many);
  const Stream captured;
  const auto queue = [&](const Stream& s, std::size_t k) {
    fold_into({out.data() + 8 * k, f64, Dims(1)}, "sum", x.ref(),
              {.device = cuda(), .stream = s.get()});
  };
  const Graph graph(captured, [&] {
    queue(captured, many);
    for (int round = 0; round < 2; ++round) {
      for (std::size_t k = 0; k < many; ++k) queue(streams[k], k);
    }
  });
  graph.replay(captured);
  gpu.synchronize_all();
  EXPECT_EQ(out.read<double>(many + 1), std::vector<double>(many + 1, 1 << 16));
}

TEST(GpuStreams, OfEightThreadsDoNotMeet) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const jit::Gpu::Current current(gpu);
      Random r(static_cast<uint64_t>(t));
      const Size n = 100000 + static_cast<Size>(t);
      const Ones x(gpu, n, t + 1.0);
      const DeviceBytes out(gpu, 64);
      for (int round = 0; round < 20; ++round) {
        const Stream a, b;  // handles are used again
        for (int k = 0; k < 10; ++k) {
          const Stream& s = k % 2 == 0 ? a : b;
          const std::size_t at = k % 2 == 0 ? 0 : 32;
          const OutputRef outs[] = {{out.data() + at, f64, Dims(1)},
                                    {out.data() + at + 8, f64, Dims(1)}};
          fold_into(outs, "sum,max", x.ref(), {.device = cuda(), .stream = s.get()});
          if (k % 5 != 4) continue;
          s.synchronize();
          const std::vector<double> got = out.read<double>(2, at);
          if (got[0] != static_cast<double>(n) * (t + 1) || got[1] != t + 1) ++wrong;
          // A call that waits, on a stream where another's work runs.
          if (fold("sum", x.ref(), {.device = cuda(), .stream = a.get()}).get<double>("sum") !=
              got[0]) {
            ++wrong;
          }
        }
        a.synchronize();
        b.synchronize();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace ONEFOLD_FILE
