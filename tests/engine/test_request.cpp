// The three verbs: what a Request may name, and what contradicts itself.
#include <gtest/gtest.h>

#include <cmath>

#include "expect_error.hpp"
#include "onefold/states.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using test::expect_error;

const std::vector<double> x = {1, 2, 4, 8, 16}, y = {1, 1, 2, 2, 3};
const std::vector<int64_t> offsets = {0, 2, 2, 5};
const std::vector<int32_t> numbers = {2, 0, 2, 0, 2};

TEST(Requests, AnswerAsTheFunctionsOfOneLine) {
  EXPECT_EQ(fold({.ops = "mean,var", .x = x, .options = {.ddof = 1}}).list[1].data,
            fold("mean,var", x, {.ddof = 1}).list[1].data);
  EXPECT_EQ(fold({.ops = "dot", .x = x, .y = y}).get<double>("dot"),
            fold("dot", x, y).get<double>("dot"));
  EXPECT_EQ(fold({.ops = "sum", .x = x, .segments = offsets})["sum"].data,
            fold_segments("sum", x, offsets)["sum"].data);
  EXPECT_EQ(fold({.ops = "sum", .x = x, .labels = numbers, .groups = 4})["sum"].data,
            fold_by("sum", numbers, x, {.groups = 4})["sum"].data);
  const Answers keyed = fold({.ops = "sum", .x = x, .keys = numbers});
  EXPECT_EQ(keyed.keys, fold_by("sum", numbers, x).keys);
  EXPECT_EQ(keyed.keys_as<int32_t>()[1], 2);
  EXPECT_EQ(keyed.key_count(), 2u);
  EXPECT_THROW(keyed.keys_as<int64_t>(), Error);
  EXPECT_EQ(gather({.ops = "mean", .x = x}), gather("mean", x));
  EXPECT_EQ(gather_states({.ops = "mean", .x = x, .options = {.axes = {0}}}).size(), 1u);
}

TEST(Requests, OfSegmentsAndLabelsGoIntoOutputsOnTheHost) {
  double out[3] = {};
  fold({.ops = "cov", .x = x, .y = y, .segments = offsets}, {{OutputRef(out, f64, {3})}});
  const Answers answers = fold({.ops = "cov", .x = x, .y = y, .segments = offsets});
  EXPECT_EQ(out[0], answers["cov"][0].as<double>());
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_EQ(out[2], answers["cov"][2].as<double>());

  double sums[4] = {9, 9, 9, 9}, most[4] = {9, 9, 9, 9};
  Status status[4] = {};
  const OutputRef outs[] = {{sums, f64, {4}}, {most, f64, {4}, status}};
  fold({.ops = "sum,max", .x = x, .labels = numbers, .groups = 4}, outs);
  EXPECT_EQ(std::vector(sums, sums + 4), (std::vector<double>{10, 0, 21, 0}));
  EXPECT_EQ(most[2], 16);
  EXPECT_EQ(status[1], Status::empty_input);
  fold({.ops = "mean", .x = x, .options = {.weights = y}, .labels = numbers, .groups = 3},
       {{OutputRef(out, f64, {3})}});
  EXPECT_EQ(out[0], 6);
  EXPECT_EQ(out[2], 57.0 / 6);
}

TEST(Requests, WithABadStatusWithoutAPlaceWriteNothing) {
  double out[3] = {9, 9, 9};
  expect_error(ErrorCode::empty_input, {"max[1]"}, [&] {
    fold({.ops = "max", .x = x, .segments = offsets}, {{OutputRef(out, f64, {3})}});
  });
  EXPECT_EQ(std::vector(out, out + 3), std::vector<double>(3, 9));
}

TEST(Requests, ThatContradictThemselvesAreRefused) {
  double out[4] = {};
  const OutputRef to(out, f64, {3});
  const Part parts[] = {{x}};
  const auto refused = [](const char* what, auto&& f) {
    expect_error(ErrorCode::bad_option, {what}, f);
  };
  refused(".segments and .keys were both given",
          [&] { fold({.ops = "sum", .x = x, .segments = offsets, .keys = numbers}); });
  refused(".keys and .labels were both given",
          [&] { fold({.ops = "sum", .x = x, .keys = numbers, .labels = numbers, .groups = 3}); });
  refused(".groups is 3, but .labels were not given",
          [&] { fold({.ops = "sum", .x = x, .keys = numbers, .groups = 3}); });
  refused(".parts apply to gather only", [&] { fold({.ops = "sum", .parts = parts}); });
  refused(".labels cannot be gathered",
          [&] { gather({.ops = "sum", .x = x, .labels = numbers, .groups = 3}); });
  refused("outputs cannot be preallocated for .keys", [&] {
    fold({.ops = "sum", .x = x, .keys = numbers}, {&to, 1});
  });
  refused("leave their strides out", [&] {
    fold({.ops = "sum", .x = x, .segments = offsets}, {{OutputRef(out, f64, {3}, {8})}});
  });
  refused(".deferred needs labels on a device",
          [&] { fold({.ops = "sum", .x = x, .deferred = true}); });
  refused(".deferred needs labels on a device", [&] {
    fold({.ops = "sum", .x = x, .labels = numbers, .groups = 3, .deferred = true}, {&to, 1});
  });
  refused("label 0 is 2", [&] { fold({.ops = "sum", .x = x, .labels = numbers, .groups = 2}); });
}

TEST(Requests, GoIntoOutputsOfWhichSomeHaveStrides) {
  const ArrayRef matrix(x.data(), f64, {2, 2});
  double out[6] = {9, 9, 9, 9, 9, 9};
  const OutputRef outs[] = {{out, f64, {2}, {16}}, {out + 4, f64, {2}}};
  fold({.ops = "sum,max", .x = matrix, .options = {.axes = {1}}}, outs);
  EXPECT_EQ(std::vector(out, out + 6), (std::vector<double>{3, 9, 12, 9, 2, 8}));
  expect_error(ErrorCode::shape_mismatch, {"but the output has shape"}, [&] {
    fold({.ops = "sum", .x = matrix, .options = {.axes = Axes::none()}},
         {{OutputRef(out, f64, {4}, {8})}});
  });
}

}  // namespace ONEFOLD_FILE
