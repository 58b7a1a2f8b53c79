// States answer ops about the data that they were gathered from.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "expect_error.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

ErrorCode code_of(const std::function<void()>& f) { return test::caught(f).code; }

TEST(State, AnswersEveryOpWhoseAccumulatorsItHolds) {
  const State state = gather("std", std::vector{1.0, 2.0, 4.0});
  EXPECT_EQ(state.answer("mean").as<double>(), 7.0 / 3);
  EXPECT_EQ(state.answer("sumsq").as<double>(), 21);
  EXPECT_EQ(state.answer("var", {.ddof = 1}).as<double>(), 7.0 / 3);
  EXPECT_EQ(state.answer("count", {.result = i8}).as<int8_t>(), 3);
  EXPECT_EQ(code_of([&] { state.answer("norm1"); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { state.answer("median"); }), ErrorCode::unknown_op);
  EXPECT_EQ(code_of([&] { state.answer("mean,sum"); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { state.answer("mean", {.result = i32}); }), ErrorCode::bad_option);
}

TEST(State, RefusesOptionsThatSayHowToFold) {
  const State state = gather("var,max", std::vector{1.0, 2.0}, {.nan = NanPolicy::omit});
  std::vector<Options> refused(8);
  refused[0].axes = {0};
  refused[1].keepdims = true;
  refused[2].device = cpu;
  refused[3].stream = &refused;
  refused[4].threads = 2;
  refused[5].target = "portable";
  refused[6].first = 1;
  refused[7].nan = NanPolicy::raise;
  for (const Options& o : refused) {
    EXPECT_EQ(code_of([&] { state.answer("var", o); }), ErrorCode::bad_option) << &o - &refused[0];
  }
  EXPECT_EQ(state.answer("var", {.nan = NanPolicy::omit, .ddof = 1}).as<double>(), 0.5);
  EXPECT_EQ(state.answer("max", {.result = f32}).as<float>(), 2);
}

TEST(State, KeepsItsNanPolicy) {
  const std::vector<double> x{1, NAN, 2};
  EXPECT_EQ(gather("sum", x, {.nan = NanPolicy::omit}).answer("sum").as<double>(), 3);
  EXPECT_EQ(gather("sum", x, {.nan = NanPolicy::raise}).answer("sum").status, Status::nan_found);
  EXPECT_EQ(gather("sum,argmin", x).answer("argmin").as<int64_t>(), 1);
}

TEST(Gather, FoldsAllAxesOnly) {
  const std::vector<double> x(6);
  const ArrayRef a(x.data(), f64, {2, 3});
  EXPECT_EQ(code_of([&] { gather("sum", a, {.axes = {0}}); }), ErrorCode::bad_axis);
  EXPECT_EQ(gather("argmin", a).answer("argmin").as<int64_t>(), 0);
}

TEST(Gather, CountsIndicesFromFirstInCOrder) {
  std::vector<float> x(12, 1.0f);
  x[5] = 0;
  x[11] = 2;
  // 3 x 4 transposed: x[5] was in row 1, column 1, and now has index 1 * 3 + 1.
  const ArrayRef transposed(x.data(), f32, {4, 3}, {4, 16});
  const State s = gather("argmin,argmax", transposed, {.first = 1000});
  EXPECT_EQ(s.answer("argmin").as<int64_t>(), 1004);
  EXPECT_EQ(s.answer("argmax").as<int64_t>(), 1011);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
