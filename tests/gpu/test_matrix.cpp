// Products of matrices on a device give the processor's bits. Label gpu.
#include "gpu/matrix.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuProducts : public testing::TestWithParam<DType> {};

TEST_P(GpuProducts, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  const ProductShape shapes[] = {{64, 64, 64}, {65, 200, 100}, {130, 129, 1000}, {70, 300, 257, 3}};
  for (uint64_t seed = 0; seed < 40; ++seed) {
    ASSERT_EQ(product_flaws(GetParam(), seed, shapes[seed % 4]), "");
  }
}

TEST_P(GpuProducts, OfDoublesGiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  const ProductShape shapes[] = {{64, 64, 64},      {65, 200, 100},  {130, 129, 1000},
                                 {70, 300, 257, 3}, {16, 333, 4096}, {100, 900, 64}};
  for (uint64_t seed = 0; seed < 72; ++seed) {
    ProductShape shape = shapes[seed % 6];
    shape.most_doubles = 4096;
    ASSERT_EQ(product_flaws(GetParam(), seed, shape), "");
  }
}

// Blocks of one tile, and memory that stays below its limit.
TEST(GpuProducts, OfLongRowsFit) {
  SKIP_WITHOUT_DEVICE();
  ASSERT_EQ(product_flaws(f64, 3, {384, 384, 90'000}), "");
  ASSERT_EQ(product_flaws(i64, 4, {20, 300, 131'072}), "");
}

TEST(GpuProducts, OfLongerRowsAreAddedInParts) {
  SKIP_WITHOUT_DEVICE();
  ASSERT_EQ(product_flaws(f32, 5, {130, 260, 300'000}), "");
  ASSERT_EQ(product_flaws(f64, 6, {20, 300, 140'000}), "");
  ASSERT_EQ(product_flaws(bf16, 7, {16, 300, 1'000'000}), "");
  ASSERT_EQ(product_flaws(i32, 8, {20, 300, 200'000}), "");
  for (uint64_t seed = 0; seed < 6; ++seed) {
    ASSERT_EQ(product_flaws(f32, seed, {300, 300, 1000, 2, 256}), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuProducts,
                         testing::Values(f64, f32, f16, bf16, i64, u64, i32, u32, i16, i8, u8,
                                         DType::boolean),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
