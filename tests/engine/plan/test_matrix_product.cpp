// Plans of dot with repeated axes are products of matrices.
#include "onefold/engine/plan/matrix_product.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace onefold {
namespace ONEFOLD_FILE {

std::vector<float> numbers(1000);

ArrayRef array(const Dims& shape, const Dims& strides, DType type = DType::f32) {
  return {numbers.data(), type, shape, strides};
}
std::optional<MatrixProduct> product(const ArrayRef& a, const ArrayRef& b,
                                     const Options& options = {.axes = {-1}}) {
  return matrix_product_of(make_plan("dot", a, &b, options));
}

TEST(MatrixProduct, IsADotWhoseKeptAxesAreRepeated) {
  // Two rows of 5 by 3 columns, which lie in a matrix of 5 rows.
  const auto p = product(array({2, 3, 5}, {20, 0, 4}), array({2, 3, 5}, {0, 4, 12}));
  ASSERT_TRUE(p);
  EXPECT_EQ(p->row, (Axis{2, {20, 0}, 3, false}));
  EXPECT_EQ(p->column, (Axis{3, {0, 4}, 1, false}));
  EXPECT_EQ(p->inner.extent, 5u);
  EXPECT_EQ(p->inner.stride[0], 4);
  EXPECT_EQ(p->inner.stride[1], 12);
  EXPECT_EQ(p->row_place * p->column_place, p->row_place > 1 ? 3u : 2u);
  EXPECT_TRUE(p->batch_axes.empty());
}
TEST(MatrixProduct, MayHaveBatches) {
  const auto p = product(array({4, 2, 3, 5}, {40, 20, 0, 4}), array({4, 2, 3, 5}, {60, 0, 4, 12}));
  ASSERT_TRUE(p);
  ASSERT_EQ(p->batch_axes.size(), 1u);
  EXPECT_EQ(p->batch_axes[0], (Axis{4, {40, 60}, 6, false}));
  EXPECT_EQ(p->batch_place[0], 6u);
}
TEST(MatrixProduct, MayRepeatAMatrixInABatch) {
  // Four matrices, not one below the other, by the same columns.
  const ArrayRef a = array({4, 2, 3, 5}, {80, 20, 0, 4}), b = array({4, 2, 3, 5}, {0, 0, 4, 12});
  EXPECT_FALSE(product(a, b));
  const auto p = matrix_product_of(make_plan("dot", a, &b, {.axes = {-1}}), true);
  ASSERT_TRUE(p);
  EXPECT_EQ(p->row, (Axis{4, {80, 0}, 6, false}));
  EXPECT_EQ(p->column, (Axis{3, {0, 4}, 1, false}));
  ASSERT_EQ(p->batch_axes.size(), 1u);
  EXPECT_EQ(p->batch_axes[0], (Axis{2, {20, 0}, 3, false}));
}
TEST(MatrixProduct, HasRowsColumnsAndNothingElse) {
  const ArrayRef a = array({2, 3, 5}, {20, 0, 4}), b = array({2, 3, 5}, {0, 4, 12});
  EXPECT_FALSE(product(a, array({2, 3, 5}, {60, 20, 4})));
  EXPECT_FALSE(product(array({2, 5}, {20, 4}), array({2, 5}, {0, 4})));
  const bool mask[5] = {};
  EXPECT_FALSE(product(a, b, {.axes = {-1}, .where = Mask{ArrayRef(mask)}}));
  EXPECT_FALSE(matrix_product_of(make_plan("mse", a, &b, {.axes = {-1}})));
  EXPECT_FALSE(matrix_product_of(make_plan("sum", a, nullptr, {.axes = {-1}})));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
