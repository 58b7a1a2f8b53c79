// The list of ops.
#include <gtest/gtest.h>

#include "onefold/engine/plan/table.hpp"
#include "onefold/engine/quantile/array_quantiles.hpp"

namespace onefold {
namespace {

// A backend finds its own table's row by the index: also that of a copy with another name.
TEST(Table, ARowKnowsItsIndex) {
  for (std::size_t k = 0; k < op_rows().size(); ++k) {
    EXPECT_EQ(op_rows()[k].index, k) << op_rows()[k].name;
    EXPECT_EQ(&find_op(op_rows()[k].name), &op_rows()[k]);
  }
  EXPECT_STREQ(row_of("median").name, "median");
  EXPECT_EQ(row_of("median").index, find_op("max").index);
}

}  // namespace
}  // namespace onefold
