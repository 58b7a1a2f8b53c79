// Masked folds on the simulated device give the processor's bits, and the machine finds no
// flaw.
#include "driver/requests.hpp"
#include "expect_error.hpp"
#include "gpu/queued.hpp"
#include "onefold/states.hpp"
#include "scaled.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

constexpr FoldCase requests[] = {
    {"sum", f64, true},     {"sum,mean,max", f32},  {"var", f32},        {"argmin", i32},
    {"min,max", f32, true}, {"sum,min,count", i64}, {"sum", bf16, true}, {"any", DType::boolean}};

class SimulatedMasks : public Requests {};

TEST_P(SimulatedMasks, GiveTheBitsOfTheProcessorForRandomNests) {
  const FoldCase r = GetParam();
  for (uint64_t seed = 0; seed < test::scaled(30u); ++seed) {
    ASSERT_EQ(random_masked_flaws(r.ops, r.dtype, seed, 600, false, r.initial), "");
  }
}

TEST_P(SimulatedMasks, GiveTheBitsOfTheProcessorForShapesThatPeopleFold) {
  ASSERT_EQ(masked_shape_flaws(GetParam().ops, GetParam().dtype, 600), "");
}

TEST(SimulatedMasksOfPairs, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < test::scaled(30u); ++seed) {
    ASSERT_EQ(random_masked_flaws("dot", f32, seed, 600, true, false), "");
  }
}

TEST(SimulatedMasksInParts, GiveTheBitsOfTheProcessor) {
  const auto body = [] {
    control().multiprocessors = 20;
    for (const int64_t n : {20000, 3, 128}) {
      jit::Gpu gpu;
      const Dims shape(60000 / n, n);
      const Data data = generate("random_bits", f64, static_cast<Size>(60000 / n * n), 7);
      const TwoArrays x(gpu, data, 0, 0, shape, row_major(shape, f64));
      std::mt19937_64 r(static_cast<uint64_t>(n));
      for (int64_t axis = -1; axis < 2; ++axis) {
        const TwoMasks mask(gpu, r, shape);
        const Options options{.axes = axis < 0 ? Axes() : Axes(Dims(axis))};
        const std::string flaws = masked_flaws("sum", x, nullptr, mask, options) + control().flaws;
        if (!flaws.empty()) std::fprintf(stderr, "%s\n", flaws.c_str());
        if (!flaws.empty()) return 1;
      }
    }
    return 0;
  };
  EXPECT_EQ(in_a_child(body), 0);
}

TEST(SimulatedMasksOfAStream, AreCapturedAndReplayedAfterNewData) {
  jit::Gpu gpu;
  std::mt19937_64 r(11);
  for (const int64_t axis : {0, 1}) {
    for (int round = 0; round < 6; ++round) {
      const Dims shape(40, 30);
      const TwoMasks mask(gpu, r, shape);
      EXPECT_EQ(queued_flaws(gpu, shape, axis, &mask), "") << round;
    }
  }
  EXPECT_EQ(control().flaws, "");
}

TEST(SimulatedMasksOfStates, GatherWhatTheProcessorGathers) {
  jit::Gpu gpu;
  std::mt19937_64 r(3);
  const Dims shape(30, 20);
  const Data data = generate("random_bits", f64, 600, 7);
  const TwoArrays x(gpu, data, 0, 0, shape, row_major(shape, f64));
  const TwoMasks mask(gpu, r, shape);
  Options host{}, device{.device = cuda()}, rows{.axes = Axes(Dims(1))};
  host.where = rows.where = mask.on_host;
  device.where = mask.on_device;
  EXPECT_TRUE(gather("sum", x.on_host, host) == gather("sum", x.on_device, device));
  EXPECT_EQ(gather("sum", x.on_host, host).count(), gather("sum", x.on_device, device).count());
  const States expected = gather_states("sum", x.on_host, rows);
  rows.where = mask.on_device;
  rows.device = cuda();
  EXPECT_TRUE(expected == gather_states("sum", x.on_device, rows));
}

TEST(SimulatedMasksOnTheHost, AreRefusedForArraysOfTheDevice) {
  jit::Gpu gpu;
  std::mt19937_64 r(3);
  const Dims shape(int64_t{600});
  const Data data = generate("random_bits", f64, 600, 7);
  const TwoArrays x(gpu, data, 0, 0, shape, row_major(shape, f64));
  const TwoMasks mask(gpu, r, shape);
  Options options{.device = cuda()};
  options.where = mask.on_host;
  expect_error(ErrorCode::bad_option, {"sum: the array is on the device and the mask on the host"},
               [&] { fold("sum", x.on_device, options); });
  options.where = mask.on_device;
  expect_error(ErrorCode::bad_option, {"sum: the array is on the host and the mask on the device"},
               [&] { fold("sum", x.on_host, options); });
  options.where->bits = true;
  expect_error(ErrorCode::no_backend, {"sum: a device does not support masks of packed bits"},
               [&] { fold("sum", x.on_device, options); });
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedMasks, testing::ValuesIn(requests), in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
