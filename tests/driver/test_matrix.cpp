// Products of matrices on the simulated device give the processor's bits.
#include "driver/requests.hpp"
#include "gpu/matrix.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class SimulatedProducts : public Requests {};

TEST_P(SimulatedProducts, GiveTheBitsOfTheProcessor) {
  const ProductShape shapes[] = {{64, 66, 70}, {65, 67, 140, 2}};
  for (uint64_t seed = 0; seed < 2; ++seed) {
    ASSERT_EQ(product_flaws(GetParam().dtype, seed, shapes[seed]), "");
  }
}

TEST_P(SimulatedProducts, AreAddedInParts) {
  ASSERT_EQ(product_flaws(GetParam().dtype, 2, {64, 66, 140, 1, 128}), "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedProducts,
                         testing::Values(FoldCase{"dot", f32}, FoldCase{"dot", f64},
                                         FoldCase{"dot", bf16}, FoldCase{"dot", f16},
                                         FoldCase{"dot", i64}, FoldCase{"dot", u16}),
                         in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
