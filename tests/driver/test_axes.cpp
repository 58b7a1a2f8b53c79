// Folds along axes on the simulated device give the processor's bits, and the machine finds no
// flaw.
#include "driver/requests.hpp"
#include "gpu/queued.hpp"
#include "gpu/strided.hpp"
#include "scaled.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

constexpr FoldCase requests[] = {{"sum", f64},           {"sum,mean,max", f32},  {"var", f32},
                                 {"argmin", i32},        {"sum,min,count", i64}, {"sum", bf16},
                                 {"any", DType::boolean}};

class SimulatedAxes : public Requests {};

TEST_P(SimulatedAxes, GiveTheBitsOfTheProcessorForRandomNests) {
  for (uint64_t seed = 0; seed < test::scaled(20u); ++seed) {
    ASSERT_EQ(random_flaws(GetParam().ops, GetParam().dtype, seed, 600), "");
  }
}

TEST_P(SimulatedAxes, GiveTheBitsOfTheProcessorForShapesThatPeopleFold) {
  ASSERT_EQ(shape_flaws(GetParam().ops, GetParam().dtype, 600), "");
}

// Rows and columns, some of which have negative sums.
TEST(SimulatedAxesAsUnsigned, OverflowWhereTheProcessorSaysSo) {
  control().flaws = "";
  const std::vector<int64_t> x{-1, -2, 5, 6, -9, 9};
  const ArrayRef rows(x.data(), i64, {3, 2});
  for (const Axes& axes : {Axes(0), Axes(1)}) {
    Options o{.axes = axes, .result = u64};
    const Answers expected = fold("sum,min,count", rows, o);
    o.device = cuda();
    EXPECT_EQ(text_of(fold("sum,min,count", rows, o), expected), "");
    EXPECT_EQ(expected["min"][0].status, Status::overflow);
  }
  EXPECT_EQ(control().flaws, "");
}

class SimulatedDots : public Requests {};

TEST_P(SimulatedDots, GiveTheBitsOfTheProcessorForRandomNests) {
  for (uint64_t seed = 0; seed < test::scaled(40u); ++seed) {
    ASSERT_EQ(random_flaws("dot", GetParam().dtype, seed, 600), "");
  }
}

TEST_P(SimulatedDots, GiveTheBitsOfTheProcessorForShapesThatPeopleFold) {
  ASSERT_EQ(shape_flaws("dot", GetParam().dtype, 300, true), "");
}

TEST(SimulatedDotsOfHardPairs, GiveTheBitsOfTheProcessor) {
  for (const DType t : {f32, f64, bf16}) ASSERT_EQ(hard_pair_flaws("dot", t, 20), "");
  EXPECT_EQ(control().flaws, "");
}

TEST(SimulatedAxesOfAStream, AreCapturedAndReplayedAfterNewData) {
  jit::Gpu gpu;
  for (const int64_t axis : {0, 1}) {
    for (const Dims& shape : {Dims(40, 30), Dims(30, 5), Dims(4, 300)}) {
      EXPECT_EQ(queued_flaws(gpu, shape, axis, nullptr), "") << to_string(shape);
    }
  }
  EXPECT_EQ(control().flaws, "");
}

TEST(SimulatedStridedOutputs, HaveTheirAnswersWhereTheyBelong) {
  jit::Gpu gpu;
  for (const Dims& shape : {Dims(6, 30, 4), Dims(3, 5, 70), Dims(40, 2, 3)}) {
    for (const Dims& axes : {Dims(int64_t{0}), Dims(int64_t{1}), Dims(int64_t{2}),
                             Dims(int64_t{0}, int64_t{2}), Dims(int64_t{1}, int64_t{2})}) {
      for (const int64_t hole : {0, 2}) {
        EXPECT_EQ(strided_flaws<double>(gpu, "sum", shape, axes, hole), "");
        EXPECT_EQ(strided_flaws<float>(gpu, "sum,mean,max", shape, axes, hole), "");
      }
    }
  }
  EXPECT_EQ(control().flaws, "");
}

// On a large device: rows in parts, and columns in so many parts that these are merged in groups of
// 32.
TEST(SimulatedAxesInParts, GiveTheBitsOfTheProcessor) {
  const auto body = [] {
    control().multiprocessors = 20;
    jit::Gpu gpu;
    struct Case {
      Dims shape;
      int64_t axis;
    };
    for (const Case& c : {Case{{3, 20000}, 1}, Case{{2304, 128}, 0}, Case{{30000, 3}, 0}}) {
      const Size n = static_cast<Size>(c.shape[0] * c.shape[1]);
      const Data data = generate("random_bits", f64, n, 7);
      const TwoArrays x(gpu, data, 0, 0, c.shape, row_major(c.shape, f64));
      const Options options{.axes = Axes(Dims(c.axis))};
      const std::string flaws =
          flaws_of("sum", x, nullptr, options) + flaws_of("dot", x, &x, options) + control().flaws;
      if (!flaws.empty()) std::fprintf(stderr, "%s\n", flaws.c_str());
      if (!flaws.empty()) return 1;
    }
    return 0;
  };
  EXPECT_EQ(in_a_child(body), 0);
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedAxes, testing::ValuesIn(requests), in_words<FoldCase>);
INSTANTIATE_TEST_SUITE_P(Types, SimulatedDots,
                         testing::Values(FoldCase{"dot", f32}, FoldCase{"dot", f64},
                                         FoldCase{"dot", bf16}, FoldCase{"dot", i32}),
                         in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
