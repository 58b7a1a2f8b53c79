// One array in parts.
#include "onefold/states.hpp"

#include <gtest/gtest.h>

namespace ONEFOLD_FILE {

using namespace onefold;

ErrorCode code_of(const std::vector<Part>& parts, const char* ops, const Options& options = {}) {
  try {
    gather({.ops = ops, .options = options, .parts = parts});
  } catch (const Error& e) {
    return e.code();
  }
  return ErrorCode::ok;
}

TEST(Parts, AreOneArray) {
  const std::vector<double> x = {3, 1e300, -7, 2, -1e300, 5, -7};
  const State whole = gather("mean,var,argmin,argmax", x);
  for (std::size_t cut = 0; cut <= x.size(); ++cut) {
    const std::vector<Part> parts = {{std::span(x).first(cut)}, {std::span(x).subspan(cut)}};
    EXPECT_EQ(gather({.ops = "mean,var,argmin,argmax", .parts = parts}), whole);
    const std::vector<Part> turned = {{std::span(x).subspan(cut), cut},
                                      {std::span(x).first(cut), 0}};
    EXPECT_EQ(gather({.ops = "mean,var,argmin,argmax", .parts = turned}), whole);
  }
}
TEST(Parts, AreRowsOfSlices) {
  std::vector<double> x(60);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7919 % 41) - 20.25;
  const auto grid = [&](std::size_t row, int64_t rows) {
    return Part{ArrayRef(&x[12 * row], f64, {rows, 3, 4})};
  };
  for (const Axes& axes : {Axes{0}, Axes{0, 2}, Axes{-3, 1}}) {
    const char* ops = "mean,var,argmin";
    const States whole = gather_states(ops, ArrayRef(x.data(), f64, {5, 3, 4}), {.axes = axes});
    const Part parts[] = {grid(0, 2), grid(2, 0), grid(2, 3)};
    EXPECT_EQ(gather_states({.ops = ops, .options = {.axes = axes}, .parts = parts}), whole);
  }
  const Part parts[] = {grid(0, 2)};
  try {
    gather_states({.ops = "sum", .options = {.axes = {1}}, .parts = parts});
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_option);
    EXPECT_STREQ(e.what(),
                 "part 0: sum: parts divide the first axis, so this axis must be folded; if it "
                 "is kept, fold each part by itself");
  }
}
TEST(Parts, MustFitTogether) {
  const std::vector<double> x = {1, 2, 3};
  const std::vector<float> y = {1, 2, 3};
  EXPECT_EQ(code_of({}, "sum"), ErrorCode::bad_option);
  EXPECT_EQ(code_of({{x}, {y}}, "sum"), ErrorCode::bad_state);
  EXPECT_EQ(code_of({{x, 0}, {x, 2}}, "argmin"), ErrorCode::overlap);
  EXPECT_EQ(code_of({{x, 0}, {x, 2}}, "min"), ErrorCode::ok);
  EXPECT_EQ(code_of({{x}}, "summ"), ErrorCode::unknown_op);
  EXPECT_EQ(code_of({{x}}, "sum", {.device = cpu}), ErrorCode::bad_option);
  EXPECT_EQ(code_of({{x}}, "sum", {.first = 3}), ErrorCode::bad_option);
}

}  // namespace ONEFOLD_FILE
