// A request becomes a plan: which accumulators are gathered, and the shapes and types of answers.
#include "onefold/engine/plan/plan.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "onefold/options.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

const std::vector<float> memory(1000);

ArrayRef array(Dims shape) { return {memory.data(), f32, shape}; }
ArrayRef array(Dims shape, Dims strides) { return {memory.data(), f32, shape, strides}; }
Plan plan(std::string_view ops, const ArrayRef& x, const Options& o = {}) {
  return make_plan(ops, x, nullptr, o);
}

TEST(Plan, GathersTheUnionOfWhatTheOpsNeedOnce) {
  const Plan p = plan("mean,var,sum,std,argmax,max", array({10}));
  EXPECT_EQ(p.needs,
            Accumulator::sum | Accumulator::sumsq | Accumulator::tally | Accumulator::greatest);
  int words = 0;
  for (int a = 0; a < accumulator_count; ++a) {
    if (p.needs.has(static_cast<Accumulator>(a))) {
      EXPECT_EQ(p.layout.offset[a], words);
      words += row_of(static_cast<Accumulator>(a), f32).words;
    } else {
      EXPECT_LT(p.layout.offset[a], 0);
    }
  }
  EXPECT_EQ(p.layout.words, words);
}

TEST(Plan, ReadsEveryElementOnce) {
  EXPECT_EQ(plan("mean,var,min,norm1", array({10, 20})).bytes_read(), 800u);
  EXPECT_EQ(plan("mean,var", array({10, 20}), {.axes = {1}}).bytes_read(), 800u);
  const ArrayRef x = array({10, 20});
  EXPECT_EQ(make_plan("dot", x, &x, {}).bytes_read(), 1600u);
}

TEST(Plan, HasTheShapeOfTheAnswer) {
  const ArrayRef x = array({2, 3, 4});
  EXPECT_EQ(plan("sum", x).output, Dims());
  EXPECT_EQ(plan("sum", x, {.axes = {1}}).output, Dims(2, 4));
  EXPECT_EQ(plan("sum", x, {.axes = {-1, 0}}).output, Dims(3));
  EXPECT_EQ(plan("sum", x, {.axes = {1}, .keepdims = true}).output, Dims(2, 1, 4));
  EXPECT_EQ(plan("sum", x, {.keepdims = true}).output, Dims(1, 1, 1));
  EXPECT_EQ(plan("sum", x, {.axes = Axes::none()}).output, Dims(2, 3, 4));
  EXPECT_EQ(plan("sum", array({2, 0}), {.axes = {1}}).answers, 2u);
  EXPECT_EQ(plan("sum", array({2, 0}), {.axes = {0}}).answers, 0u);
}

TEST(Plan, KnowsWhetherEveryElementIsAligned) {
  const auto* bytes = reinterpret_cast<const std::byte*>(memory.data());
  EXPECT_TRUE(plan("sum", array({10})).aligned);
  EXPECT_FALSE(plan("sum", ArrayRef(bytes + 2, f32, {10})).aligned);
  EXPECT_FALSE(plan("sum", array({10, 2}, {10, 4})).aligned);
  EXPECT_TRUE(plan("sum", ArrayRef(bytes + 3, i8, {10})).aligned);
}

TEST(Plan, CountsIndicesOnlyWhereAnAnswerAsksForThem) {
  EXPECT_FALSE(plan("sum,min,max,any", array({10})).indexed);
  EXPECT_TRUE(plan("sum,argmax", array({10})).indexed);
}

TEST(Plan, IsAPlainValue) {
  EXPECT_EQ(plan("sum,max", array({4, 5}), {.axes = {0}}),
            plan("sum,max", array({4, 5}), {.axes = {0}}));
  EXPECT_FALSE(plan("sum", array({4, 5})) == plan("sum", array({5, 4}), {.axes = {0}}));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
