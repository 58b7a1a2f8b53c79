// logsumexp and its kin on the simulated device give the processor's bits.
#include "driver/requests.hpp"
#include "gpu/exponential.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class SimulatedExponentials : public Requests {};

TEST_P(SimulatedExponentials, GiveTheBitsOfTheProcessor) {
  const ExponentialShape shapes[] = {{{2, 3, 40}, 2},     {{2, 11, 9}, 1}, {{7, 2, 3}, 0},
                                     {{1, 2, 515}, 2, 2}, {{1, 3, 16}, 2}, {{3, 1, 8}, 2}};
  for (uint64_t seed = 0; seed < 6; ++seed) {
    ASSERT_EQ(exponential_flaws(GetParam().dtype, seed, shapes[seed]), "");
  }
}
TEST_P(SimulatedExponentials, OfLongSlicesAreCutIntoParts) {
  ASSERT_EQ(exponential_flaws(GetParam().dtype, 1, {{1, 1, 9000}, 2, 1}), "");
  ASSERT_EQ(exponential_flaws(GetParam().dtype, 2, {{1, 4500, 3}, 1, 1}), "");
}

TEST_P(SimulatedExponentials, OfSumsOutOfRange) {
  ASSERT_EQ(exponential_flaws(GetParam().dtype, 1, {{1, 2, 20'000}, 2, 2, 8}), "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedExponentials,
                         testing::Values(FoldCase{"logsumexp", f64}, FoldCase{"logsumexp", f32},
                                         FoldCase{"logsumexp", bf16}, FoldCase{"logsumexp", f16}),
                         in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
