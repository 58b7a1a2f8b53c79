// Folds of segments on the simulated device give the processor's bits; invalid offsets make no
// kernel access other memory.
#include "driver/requests.hpp"
#include "expect_error.hpp"
#include "gpu/segments.hpp"
#include "scaled.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

constexpr FoldCase requests[] = {
    {"sum", f64}, {"sum,mean,max", f32}, {"var", f32}, {"kurtosis", f32}, {"argmin", i32}};

class SimulatedSegments : public Requests {};

TEST_P(SimulatedSegments, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < test::scaled(12u); ++seed) {
    ASSERT_EQ(segment_flaws(GetParam().ops, GetParam().dtype, seed, seed % 4 == 3 ? 40'000 : 3'000),
              "");
  }
}

class SimulatedSlices : public Requests {};

TEST_P(SimulatedSlices, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < test::scaled(16u); ++seed) {
    ASSERT_EQ(matrix_flaws(GetParam().ops, GetParam().dtype, seed, seed % 4 == 3 ? 12'000 : 300),
              "");
  }
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedSlices,
                         testing::Values(FoldCase{"sum", f64}, FoldCase{"sum,mean,max", f32}),
                         in_words<FoldCase>);

class SimulatedSegmentsOfPairs : public Requests {};

TEST_P(SimulatedSegmentsOfPairs, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < test::scaled(24u); ++seed) {
    ASSERT_EQ(matrix_flaws(GetParam().ops, GetParam().dtype, seed, seed % 4 == 3 ? 12'000 : 300, {},
                           true),
              "");
  }
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedSegmentsOfPairs,
                         testing::Values(FoldCase{"mse", f32}, FoldCase{"cov,corr,slope", f32},
                                         FoldCase{"dot", f64}, FoldCase{"mae,max_abs_diff", f16},
                                         FoldCase{"average", f64}, FoldCase{"corr,mae", i16},
                                         FoldCase{"slope", i64}),
                         in_words<FoldCase>);

// Ops without totals use exact words.
TEST(SimulatedSlicesOfOtherTypes, GiveTheBitsOfTheProcessor) {
  control().flaws = "";
  for (uint64_t seed = 0; seed < 6; ++seed) ASSERT_EQ(matrix_flaws("sum", f64, seed, 40, f32), "");
  EXPECT_EQ(control().flaws, "");
}

TEST(SimulatedOffsets, ThatAreBadSayWhereAndLeadNowhere) {
  control().flaws = "";
  jit::Gpu gpu;
  const std::vector<double> x(100, 0.5);
  const DeviceBytes here(gpu, 800);
  here.write(x);
  const std::vector<int64_t> offsets = {0, 10, 5, 20, 101, 100, int64_t{-1} << 62, 30};
  const DeviceBytes at(gpu, 64), out(gpu, 56), status(gpu, 7);
  at.write(offsets);
  const ArrayRef array(here.data(), f64, Dims(int64_t{100})),
      numbers(at.data(), i64, Dims(int64_t{8}));
  const OutputRef to(out.data(), f64, Dims(int64_t{7}), reinterpret_cast<Status*>(status.data()));
  fold({.ops = "sum", .x = array, .options = {.device = cuda()}, .segments = numbers}, {&to, 1});
  gpu.synchronize();
  const auto found = status.read<Status>(7);
  const auto sums = out.read<double>(7);
  using enum Status;
  const std::vector<Status> expected = {ok,          bad_offsets, ok,         bad_offsets,
                                        bad_offsets, bad_offsets, bad_offsets};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(sums[0], 5);
  EXPECT_EQ(sums[2], 7.5);
  expect_error(ErrorCode::bad_option, {"sum: the offsets of segment 1 decrease, or lie outside"},
               [&] { fold_segments("sum", array, numbers, {.device = cuda()}); });
  EXPECT_EQ(control().flaws, "");
}

// Every second segment is the whole array, so together they have more parts than the array.
TEST(SimulatedOffsets, ThatRiseAndFallAndRiseLeadNowhere) {
  control().flaws = "";
  jit::Gpu gpu;
  constexpr int64_t n = 20'000, count = 24;
  const std::vector<double> x(n, 0.5);
  const DeviceBytes here(gpu, 8 * n), at(gpu, 8 * (count + 1));
  here.write(x);
  std::vector<int64_t> offsets;
  for (int64_t k = 0; k <= count; ++k) offsets.push_back(k % 2 == 0 ? 0 : n);
  at.write(offsets);
  const ArrayRef array(here.data(), f64, Dims(n)), numbers(at.data(), i64, Dims(count + 1));
  expect_error(ErrorCode::bad_option, {"sum: the offsets of segment", "decrease, or lie outside"},
               [&] { fold_segments("sum", array, numbers, {.device = cuda()}); });
  // The next fold must be right nevertheless.
  offsets = {0, n};
  at.write(offsets);
  const ArrayRef two(at.data(), i64, Dims(int64_t{2}));
  for (int k = 0; k < 2; ++k) {
    const Answers sums = fold_segments("sum", array, two, {.device = cuda()});
    EXPECT_EQ(sums["sum"][0].as<double>(), n / 2);
  }
  EXPECT_EQ(control().flaws, "");
}

// A segment so long that its parts are merged in groups.
TEST(SimulatedSegmentsOfManyParts, GiveTheBitsOfTheProcessor) {
  control().flaws = "";
  jit::Gpu gpu;
  constexpr int64_t n = 700'001;
  const Data data = generate("lognormal", f64, n, 1);
  const DeviceBytes here(gpu, 8 * n), at(gpu, 8 * 4);
  gpu.copy_in(here.address(), data.data(), 8 * n);
  const std::vector<int64_t> offsets = {0, 5, n - 3, n};
  at.write(offsets);
  const ArrayRef x(here.data(), f64, Dims(n)), numbers(at.data(), i64, Dims(int64_t{4})),
      host(data.data(), f64, Dims(n)), on_host(offsets.data(), i64, Dims(int64_t{4}));
  const Answers expected = fold_segments("sum", host, on_host);
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(text_of(fold_segments("sum", x, numbers, {.device = cuda()}), expected), "");
  }
  EXPECT_EQ(control().flaws, "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedSegments, testing::ValuesIn(requests),
                         in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
