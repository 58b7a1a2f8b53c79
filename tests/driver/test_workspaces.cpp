// Folds of two launches need a workspace that is clean between them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "driver/device.hpp"
#include "onefold/cuda/engine.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

constexpr std::size_t terms = std::size_t{1} << 20, n = terms + 8;

// Elements with sum 250; four of them have exponents that the first launch cannot add.
std::vector<double> hard() {
  std::vector<double> x(n);
  std::fill_n(x.begin(), terms, 250.0 / terms);
  x[n / 2] = 0x1p800;
  x[n / 2 + 1] = -0x1p800;
  x[n / 2 + 2] += 250.0 / terms * 2;
  return x;
}

struct Folds {
  jit::Gpu gpu;
  DeviceBytes memory{gpu, 8 * n}, out{gpu, 16};
  Folds() { memory.write(hard()); }

  void queue(const Stream& stream, std::size_t k = 0) const {
    fold_into({out.data() + 8 * k, f64, Dims(1)}, "sum", ArrayRef(memory.data(), f64, Dims(n)),
              {.device = cuda(), .stream = stream.get()});
  }
  double read(std::size_t k = 0) const { return out.read<double>(1, 8 * k)[0]; }
};

// Makes launch number `launch` of the next fold fail; returns true if it did.
bool fail_at_launch(int launch, const std::function<void()>& fold) {
  int launches = 0;
  control().before_launch = [&] {
    if (launches++ != launch) return;
    control().fail_at = control().calls;
    control().code = 999;
  };
  bool failed = false;
  try {
    fold();
  } catch (const Error& e) {
    failed = e.code() == ErrorCode::device_failed;
  }
  control().before_launch = {};
  control().fail_at = -1;
  return failed;
}

class SimulatedWorkspace : public testing::TestWithParam<int> {
 protected:
  void TearDown() override { EXPECT_EQ(control().flaws, ""); }
};

TEST_P(SimulatedWorkspace, OfAFoldThatFailedHalfWayIsNotUsedAgain) {
  Folds folds;
  const Stream stream;
  folds.queue(stream);
  EXPECT_EQ(folds.read(), 250);
  EXPECT_TRUE(fail_at_launch(GetParam(), [&] { folds.queue(stream); }));
  for (int k = 0; k < 2; ++k) {
    folds.gpu.fill(folds.out.address(), 0, 16);
    folds.queue(stream);
    EXPECT_EQ(folds.read(), 250);
  }
}

TEST_P(SimulatedWorkspace, OfACaptureThatFailedHalfWayIsNotUsedAgain) {
  Folds folds;
  const Stream stream;
  folds.queue(stream);
  {
    const Graph graph(
        stream, [&] { EXPECT_TRUE(fail_at_launch(GetParam(), [&] { folds.queue(stream); })); });
    graph.replay(stream);  // it was captured before the failure
  }
  const Graph next(stream, [&] { folds.queue(stream); });
  folds.gpu.fill(folds.out.address(), 0, 16);
  next.replay(stream);
  EXPECT_EQ(folds.read(), 250);
}

INSTANTIATE_TEST_SUITE_P(Launch, SimulatedWorkspace, testing::Values(0, 1));

// The device's shared memory holds the bins of only few warps, or of none.
TEST(SimulatedBins, ThatDoNotFitAreDoneWithout) {
  for (const int kilobytes : {48, 16}) {
    EXPECT_EQ(in_a_child([&]() -> int {
                control().shared_bytes = kilobytes << 10;
                Folds folds;
                const Stream stream;
                folds.queue(stream);
                const double sum = folds.read();
                if (sum != 250) std::fprintf(stderr, "%g\n", sum);
                return sum == 250 && control().flaws.empty() ? 0 : 1;
              }),
              0)
        << kilobytes;
  }
}

// After 128 streams, another stream takes over a workspace, and waits on the device for that one's
// work. No call waits on the host, and none allocates.
TEST(SimulatedStream, OfManyTakesOverAWorkspaceAfterItsWork) {
  Folds folds;
  const DeviceBytes sums(folds.gpu, 8);
  const auto queue_few = [&](const Stream& stream) {
    fold_into({sums.data(), f64, Dims(1)}, "sum", ArrayRef(folds.memory.data(), f64, Dims(64)),
              {.device = cuda(), .stream = stream.get()});
  };
  std::vector<std::unique_ptr<Stream>> streams;
  const auto add = [&]() -> const Stream& {
    return *streams.emplace_back(std::make_unique<Stream>());
  };
  while (streams.size() < 127) queue_few(add());
  const Stream& least_recent = add();
  folds.queue(least_recent);
  folds.gpu.fill(folds.out.address(), 0, 16);
  control().deferred = true;
  std::string heard;
  control().heard = &heard;
  const std::size_t bytes = control().bytes;
  folds.queue(least_recent, 0);
  for (std::size_t k = 0; k < 127; ++k) queue_few(*streams[k]);
  for (int k = 0; k < 3; ++k) folds.queue(add(), 1);
  control().heard = nullptr;
  EXPECT_EQ(control().bytes, bytes);
  EXPECT_EQ(heard.find("Synchronize"), std::string::npos) << heard;
  folds.gpu.synchronize_all();
  control().deferred = false;
  EXPECT_EQ(folds.read(0), 250);
  EXPECT_EQ(folds.read(1), 250);
  EXPECT_EQ(control().flaws, "");
}

// The kernel cannot be made, or the graph cannot keep the workspace: nothing was launched in it.
TEST(SimulatedWorkspace, OfAFoldThatWasNotLaunchedIsUsedAgain) {
  Folds folds;
  const Stream stream;
  folds.queue(stream);
  auto& kernels = cuda_backend::Engine::of(0).kernels();
  const std::size_t bytes = control().bytes;
  const auto fails = [&] {
    try {
      folds.queue(stream);
    } catch (const Error& e) {
      return e.code() == ErrorCode::device_failed;
    }
    return false;
  };
  for (int k = 0; k < 3; ++k) {
    kernels.forget();
    control().refuse_images = true;
    EXPECT_TRUE(fails());
    EXPECT_TRUE(fail_at_launch(0, [&] { folds.queue(stream); }));
  }
  EXPECT_EQ(control().bytes, bytes);
  {
    const Graph graph(stream, [&] { folds.queue(stream); });
  }
  const std::size_t with_graph = control().bytes;
  for (const char* call : {"cuUserObjectCreate", "cuGraphRetainUserObject"}) {
    const Graph graph(stream, [&] {
      control().fail_name = call;
      control().code = 999;
      EXPECT_TRUE(fails());
      EXPECT_EQ(control().failed, call);
    });
  }
  EXPECT_EQ(control().bytes, with_graph);
  folds.queue(stream);
  EXPECT_EQ(folds.read(), 250);
}

// If any number of elements may be lifted, an array is folded in pieces, since words hold only a
// limited number of lifted elements.
TEST(SimulatedBins, ThatDoNotFitMeanPieces) {
  EXPECT_EQ(in_a_child([]() -> int {
              control().shared_bytes = 16 << 10;
              Folds folds;
              const Stream stream;
              cuda_backend::Engine::of(0).most_lifted = n / 3 + 1;
              int launches = 0;
              control().before_launch = [&] { ++launches; };
              folds.queue(stream);
              const ArrayRef x(folds.memory.data(), f64, Dims(n));
              const double sum = fold("sum", x, {.device = cuda()}).get<double>("sum");
              const double out = folds.read();
              if (launches == 6 && sum == 250 && out == 250 && control().flaws.empty()) return 0;
              std::fprintf(stderr, "%d launches, %g, %g\n", launches, sum, out);
              return 1;
            }),
            0);
}

// A stream's handle may be given to the next stream while work of the first one runs.
TEST(SimulatedStream, WhoseHandleComesBackWaitsForTheOldWork) {
  Folds folds;
  {
    const Stream stream;
    folds.queue(stream);
    EXPECT_EQ(folds.read(), 250);
  }
  folds.gpu.fill(folds.out.address(), 0, 16);
  control().deferred = true;
  auto first = std::make_unique<Stream>();
  void* const handle = first->get();
  folds.queue(*first, 0);
  first = nullptr;
  const Stream second;
  ASSERT_EQ(second.get(), handle);
  folds.queue(second, 1);
  folds.gpu.synchronize_all();
  control().deferred = false;
  EXPECT_EQ(folds.read(0), 250);
  EXPECT_EQ(folds.read(1), 250);
}

// Host results are here before a stream's kernel has ended.
TEST(SimulatedStream, ThatMayNotHaveEndedKeepsItsWorkspace) {
  Folds folds;
  const auto sum = [&](const Stream& stream) {
    EXPECT_EQ(fold("sum", ArrayRef(folds.memory.data(), f64, Dims(1024)),
                   {.device = cuda(), .stream = stream.get()})
                  .get<double>("sum"),
              0.244140625);
  };
  const Stream one, two;
  sum(one);
  const std::size_t with_one = control().bytes;
  sum(two);
  const bool has_ids = driver<int(void*, void*)>("cuStreamGetId") != nullptr;
  const std::size_t with_two = control().bytes, each = with_two - with_one;
  EXPECT_EQ(each != 0, has_ids);
  for (int k = 0; k < 3; ++k) {
    sum(two);
    sum(one);
  }
  EXPECT_EQ(control().bytes, with_two);
  for (int k = 0; k < 40; ++k) sum(Stream());
  EXPECT_LE(control().bytes, with_one + 17 * each);
}

TEST(SimulatedStream, OfTwoThreadsKeepsTheirLaunchesApart) {
  Folds folds;
  const Stream stream;
  folds.queue(stream);
  std::atomic<int> launches = 0;
  // The first fold waits before its second launch until the other thread has launched, at most for
  // a limited time.
  control().before_launch = [&] {
    if (launches++ != 1) return;
    for (int k = 0; k < 100 && launches < 3; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  };
  std::thread other([&] {
    while (launches < 2) std::this_thread::yield();
    folds.queue(stream, 1);
  });
  folds.queue(stream, 0);
  other.join();
  control().before_launch = {};
  EXPECT_EQ(folds.read(0), 250);
  EXPECT_EQ(folds.read(1), 250);
}

}  // namespace ONEFOLD_FILE
