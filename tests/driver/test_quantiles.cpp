// Quantiles on the simulated device have the processor's bits.
#include "driver/requests.hpp"
#include "gpu/segment_quantiles.hpp"
#include "scaled.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class SimulatedQuantiles : public Requests {};

TEST_P(SimulatedQuantiles, OfShortSlicesGiveTheBitsOfTheProcessor) {
  const QuantileShape shapes[] = {{{2, 3, 40}, 2},  {{2, 11, 9}, 1}, {{7, 2, 3}, 0}, {{3, 1, 8}, 2},
                                  {{1, 2, 515}, 2}, {{1, 1, 1}, 2},  {{3, 2, 33}, 2}};
  for (uint64_t seed = 0; seed < test::scaled(14u); ++seed) {
    ASSERT_EQ(quantile_flaws(GetParam().dtype, seed, shapes[seed % 7]), "");
  }
}
TEST_P(SimulatedQuantiles, OfLongSlicesGiveTheBitsOfTheProcessor) {
  for (int kind = 0; kind < 8; ++kind) {
    ASSERT_EQ(quantile_flaws(GetParam().dtype, static_cast<uint64_t>(kind),
                             {{1, 1, 17000 + 3 * kind}, 2, kind}),
              "");
  }
  ASSERT_EQ(quantile_flaws(GetParam().dtype, 8, {{1, 20000, 2}, 1}), "");
}
TEST_P(SimulatedQuantiles, OfMaskedSlicesGiveTheBitsOfTheProcessor) {
  const QuantileShape shapes[] = {
      {{2, 3, 40}, 2}, {{2, 11, 9}, 1}, {{1, 2, 515}, 2}, {{7, 2, 3}, 0}};
  for (int mask = 0; mask < 5; ++mask) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      QuantileShape shape = shapes[seed];
      shape.mask = mask;
      ASSERT_EQ(quantile_flaws(GetParam().dtype, seed, shape), "");
    }
    for (const int kind : {0, 1 + mask}) {
      ASSERT_EQ(quantile_flaws(GetParam().dtype, static_cast<uint64_t>(mask),
                               {{1, 1, 17000 + 8 * mask}, 2, kind, mask}),
                "");
    }
  }
  ASSERT_EQ(quantile_flaws(GetParam().dtype, 8, {{1, 20000, 2}, 1, -1, 0}), "");
}
TEST_P(SimulatedQuantiles, OfSegmentsGiveTheBitsOfTheirSlices) {
  const DType t = GetParam().dtype;
  for (const int mask : {-1, 0, 1, 2, 30}) {
    for (uint64_t seed = 0; seed < 3; ++seed) {
      ASSERT_EQ(segment_flaws(t, seed, {{3, 0, 1, 40, 0, 0, 300, 2, 33, 1000}, 1, mask}), "");
    }
    ASSERT_EQ(segment_flaws(t, 3, {{3, 0, 1, 40, 700}, 3, mask}), "");
  }
  for (const int mask : {-1, 2}) {
    ASSERT_EQ(longest_flaws(t, 7, {{3, 18000, 40, 0, 300}, 1, mask}), "");
  }
  ASSERT_EQ(segment_flaws(t, 4, {{}}), "");
  ASSERT_EQ(segment_flaws(t, 5, {{0, 0}}), "");
  ASSERT_EQ(bad_offsets_flaws(t), "");
  for (int kind = 0; kind < 10; kind += 3) {
    ASSERT_EQ(segment_flaws(t, 6, {{3, 0, 1, 40, 0, 300}, 2, kind % 2 == 0 ? -1 : 2, -1, kind}),
              "");
  }
  ASSERT_EQ(bad_weights_flaws(t), "");
}
TEST_P(SimulatedQuantiles, OfLongSegmentsGiveTheBitsOfTheirSlices) {
  const DType t = GetParam().dtype;
  for (int kind = 0; kind < 8; ++kind) {
    const int mask = kind % 2 == 0 ? -1 : 2;
    ASSERT_EQ(segment_flaws(t, static_cast<uint64_t>(kind), {{5, 17000, 0, 3}, 1, mask, kind}), "");
  }
  const int64_t more = t == f64 ? 131'100 : 262'200;  // too long for a bracket
  ASSERT_EQ(segment_flaws(t, 9, {{more}, 1, -1, 0}), "");
}

TEST_P(SimulatedQuantiles, OfWeightsGiveTheBitsOfTheProcessor) {
  const QuantileShape shapes[] = {
      {{2, 3, 40}, 2}, {{2, 11, 9}, 1}, {{1, 2, 515}, 2}, {{7, 2, 3}, 0}};
  for (int kind = 0; kind < 10; ++kind) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      QuantileShape shape = shapes[seed];
      shape.weights = kind;
      if ((seed + static_cast<Size>(kind)) % 2 == 0) continue;
      if (seed % 2 == 1) shape.mask = 0;
      ASSERT_EQ(quantile_flaws(GetParam().dtype, seed, shape), "") << kind;
    }
  }
}
TEST_P(SimulatedQuantiles, OfLongWeightedSlicesGiveTheBitsOfTheProcessor) {
  const DType t = GetParam().dtype;
  ASSERT_EQ(quantile_flaws(t, 1, {{1, 2, 33'001}, 2, 0, -1, 0}), "");
  ASSERT_EQ(quantile_flaws(t, 2, {{1, 1, 33'002}, 2, 1, 0, 4}), "");
  ASSERT_EQ(quantile_flaws(t, 3, {{1, 1, 33'003}, 2, 3, -1, 9}), "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedQuantiles,
                         testing::Values(FoldCase{"quantile", f64}, FoldCase{"quantile", bf16}),
                         in_words<FoldCase>);
INSTANTIATE_TEST_SUITE_P(LongRequests, SimulatedQuantiles,
                         testing::Values(FoldCase{"quantile", f32}, FoldCase{"quantile", f16}),
                         in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
