// Quantiles on a device have the processor's bits. Label gpu.
#include "gpu/segment_quantiles.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuQuantiles : public testing::TestWithParam<DType> {};

TEST_P(GpuQuantiles, OfShortSlicesGiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  const QuantileShape shapes[] = {{{3, 5, 1000}, 2},   {{2, 300, 70}, 1}, {{40, 7, 9}, 0},
                                  {{1, 100, 4096}, 2}, {{64, 65, 12}, 2}, {{2, 3, 8192}, 2},
                                  {{5000, 1, 33}, 0},  {{700, 3, 2}, 1},  {{900, 8, 4}, 2}};
  for (uint64_t seed = 0; seed < 27; ++seed) {
    ASSERT_EQ(quantile_flaws(GetParam(), seed, shapes[seed % 9]), "");
  }
}
TEST_P(GpuQuantiles, OfLongSlicesGiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (int kind = 0; kind < 8; ++kind) {
    const auto seed = static_cast<uint64_t>(kind);
    ASSERT_EQ(quantile_flaws(GetParam(), seed, {{1, 1, 1'500'000 + kind}, 2, kind}), "");
    ASSERT_EQ(quantile_flaws(GetParam(), seed, {{1, 1, 1'048'576}, 2, kind}), "");
    ASSERT_EQ(quantile_flaws(GetParam(), seed, {{3, 20'000, 5}, 1, kind}), "");
  }
  ASSERT_EQ(quantile_flaws(GetParam(), 9, {{150, 1, 17'000}, 2}), "");
}
TEST_P(GpuQuantiles, OfMaskedSlicesGiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  const QuantileShape shapes[] = {{{3, 5, 1000}, 2}, {{2, 300, 70}, 1}, {{1, 100, 4096}, 2}};
  for (int mask = 0; mask < 5; ++mask) {
    for (uint64_t seed = 0; seed < 6; ++seed) {
      QuantileShape shape = shapes[seed % 3];
      shape.mask = mask;
      ASSERT_EQ(quantile_flaws(GetParam(), seed, shape), "");
    }
    for (int kind = 0; kind < 8; ++kind) {
      const auto seed = static_cast<uint64_t>(kind);
      ASSERT_EQ(quantile_flaws(GetParam(), seed, {{1, 1, 1'500'000 + kind}, 2, kind, mask}), "");
      ASSERT_EQ(quantile_flaws(GetParam(), seed, {{2, 20'000, 3}, 1, kind, mask}), "");
    }
  }
}
TEST_P(GpuQuantiles, OfSegmentsGiveTheBitsOfTheirSlices) {
  SKIP_WITHOUT_DEVICE();
  std::mt19937_64 random(3);
  for (const int mask : {-1, 0, 1, 2, 30}) {
    std::vector<int64_t> lengths = {0, 0, 5, 20'000, 1, 300'000, 9'000, 150'000};
    for (int i = 0; i < 500; ++i) lengths.push_back(static_cast<int64_t>(random() % 2000));
    ASSERT_EQ(segment_flaws(GetParam(), 1, {lengths, 1, mask}), "");
    ASSERT_EQ(segment_flaws(GetParam(), 2, {{3, 0, 1, 40, 700, 20'000}, 3, mask}), "");
  }
  for (int kind = 0; kind < 8; ++kind) {
    const auto seed = static_cast<uint64_t>(kind);
    ASSERT_EQ(segment_flaws(GetParam(), seed, {{20'000, 100'000, 600'000}, 1, -1, kind}), "");
    ASSERT_EQ(longest_flaws(GetParam(), seed, {{99, 20'000, 16'000, 600'000}, 1, -1, kind}), "");
    ASSERT_EQ(longest_flaws(GetParam(), seed, {{20'001, 5, 300'000, 100'000}, 1, 2, kind}), "");
  }
  ASSERT_EQ(segment_flaws(GetParam(), 5, {{0, 0}}), "");
  ASSERT_EQ(bad_offsets_flaws(GetParam()), "");
}

TEST_P(GpuQuantiles, OfWeightsGiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  const QuantileShape shapes[] = {{{3, 5, 1000}, 2},
                                  {{2, 300, 70}, 1},
                                  {{1, 100, 4096}, 2},
                                  {{1, 2, 500'000}, 2},
                                  {{5000, 1, 33}, 0}};
  for (int kind = 0; kind < 10; ++kind) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
      QuantileShape shape = shapes[seed % 5];
      shape.weights = kind;
      if (seed >= 5) shape.mask = static_cast<int>(seed) - 5;
      ASSERT_EQ(quantile_flaws(GetParam(), seed, shape), "") << kind;
    }
    ASSERT_EQ(segment_flaws(GetParam(), 6, {{3, 0, 1, 400, 0, 30'000}, 2, -1, -1, kind}), "");
  }
}
TEST_P(GpuQuantiles, OfWrongWeightsHaveAStatus) {
  SKIP_WITHOUT_DEVICE();
  ASSERT_EQ(bad_weights_flaws(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(Types, GpuQuantiles, testing::Values(f64, f32, f16, bf16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
