// Products of matrices on the simulated device give the processor's bits.
#include "driver/requests.hpp"
#include "gpu/matrix.hpp"
#include "scaled.hpp"

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

// Of any axes; with some memory two and one are computed at once.
TEST_P(SimulatedProducts, OfABatchAreComputedTogether) {
  ASSERT_EQ(product_flaws(GetParam().dtype, 4, {20, 18, 66, 2, residues::most_terms, 0, 3}), "");
  ASSERT_EQ(
      product_flaws(GetParam().dtype, 5, {20, 18, 66, 3, residues::most_terms, Size{33} << 20}),
      "");
  // Of vectors that are not short.
  ASSERT_EQ(product_flaws(GetParam().dtype, 6, {17, 16, 520, 2}), "");
}

TEST_P(SimulatedProducts, OfDoublesGiveTheBitsOfTheProcessor) {
  // The last one's vectors are in parts.
  const ProductShape shapes[] = {
      {64, 66, 70}, {65, 67, 140, 2}, {20, 18, 66, 2, residues::most_terms, 0, 3}, {20, 35, 400}};
  for (uint64_t seed = 0; seed < test::scaled(16u); ++seed) {
    ProductShape shape = shapes[seed % 4];
    shape.most_doubles = 1024;
    ASSERT_EQ(product_flaws(GetParam().dtype, seed, shape), "");
  }
}

TEST_P(SimulatedProducts, AreAddedInParts) {
  ASSERT_EQ(product_flaws(GetParam().dtype, 2, {64, 66, 140, 1, 128}), "");
}

// Blocks are as large as the memory that is lent.
TEST_P(SimulatedProducts, UseMemoryThatIsLent) {
  const ProductShape shape{300, 66, 140, 2, residues::most_terms, Size{64} << 20};
  ASSERT_EQ(product_flaws(GetParam().dtype, 3, shape), "");
  try {
    product_flaws(GetParam().dtype, 3, {64, 66, 70, 1, residues::most_terms, 4096});
    FAIL();
  } catch (const Error& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "matmul: the workspace has 4096 bytes, but this product needs "))
        << e.what();
  }
  alignas(256) static std::byte memory[512];
  EXPECT_THROW(MatmulWorkspace(0, memory + 1, 256), Error);
  EXPECT_EQ(lent_memory().bytes, Size{0});
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedProducts,
                         testing::Values(FoldCase{"dot", f64}, FoldCase{"dot", i64}),
                         in_words<FoldCase>);
INSTANTIATE_TEST_SUITE_P(LongRequests, SimulatedProducts,
                         testing::Values(FoldCase{"dot", f32}, FoldCase{"dot", bf16},
                                         FoldCase{"dot", f16}, FoldCase{"dot", u16}),
                         in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
