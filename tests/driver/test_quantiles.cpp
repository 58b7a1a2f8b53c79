// Quantiles on the simulated device have the processor's bits.
#include "driver/requests.hpp"
#include "gpu/quantiles.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class SimulatedQuantiles : public Requests {};

TEST_P(SimulatedQuantiles, OfShortSlicesGiveTheBitsOfTheProcessor) {
  const QuantileShape shapes[] = {{{2, 3, 40}, 2},  {{2, 11, 9}, 1}, {{7, 2, 3}, 0}, {{3, 1, 8}, 2},
                                  {{1, 2, 515}, 2}, {{1, 1, 1}, 2},  {{3, 2, 33}, 2}};
  for (uint64_t seed = 0; seed < 14; ++seed) {
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

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedQuantiles,
                         testing::Values(FoldCase{"quantile", f64}, FoldCase{"quantile", f32},
                                         FoldCase{"quantile", bf16}, FoldCase{"quantile", f16}),
                         in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
