// rms_norm and layer_norm on the simulated device give the processor's bits.
#include "driver/requests.hpp"
#include "gpu/exponential.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class SimulatedNorms : public Requests {};

TEST_P(SimulatedNorms, GiveTheBitsOfTheProcessor) {
  const ExponentialShape shapes[] = {
      {{2, 3, 40}, 2}, {{2, 11, 9}, 1}, {{7, 2, 3}, 0}, {{3, 1, 8}, 2}, {{1, 2, 515}, 2, 2}};
  for (uint64_t seed = 0; seed < 5; ++seed) {
    ASSERT_EQ(norm_flaws(GetParam().dtype, seed, shapes[seed]), "");
  }
}
TEST_P(SimulatedNorms, DecideTiesAndZeros) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    ASSERT_EQ(norm_flaws(GetParam().dtype, seed, {{2, 3, 5}, 2, 4, 10}), "");
  }
}
TEST_P(SimulatedNorms, OfLongSlicesAreCutIntoParts) {
  ASSERT_EQ(norm_flaws(GetParam().dtype, 1, {{1, 1, 9000}, 2, 1}), "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedNorms,
                         testing::Values(FoldCase{"layer_norm", f64}, FoldCase{"layer_norm", f32},
                                         FoldCase{"layer_norm", bf16}, FoldCase{"layer_norm", f16}),
                         in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
