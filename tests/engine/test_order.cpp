// Weighted quantiles, means of the middle, modes and bins by the C++ functions.
#include "onefold/order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "expect_error.hpp"
#include "onefold/histogram.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

ArrayRef row(const std::vector<double>& x) {
  return ArrayRef(x.data(), DType::f64, Dims(static_cast<int64_t>(x.size())));
}
double only(const Answer& a) { return a.only().as<double>(); }

Quantile level(const char* q, QuantileMethod method) {
  Quantile quantile = read_quantile(q);
  quantile.method = method;
  return quantile;
}

TEST(WeightedQuantile, ComparesSumsOfWeightsExactly) {
  const std::vector<double> x = {4, 0, 3, 1, 2}, tenth(5, 0.1), far = {1e300, 5e-324, 1e-9, 0, 1};
  const auto of = [&](const char* q, const std::vector<double>& w) {
    return only(
        quantile(row(x), {level(q, QuantileMethod::inverted_cdf)}, {.weights = row(w)}).list[0]);
  };
  EXPECT_EQ(of("0.2", tenth), 0);  // ties: 1 of 5 has a fifth of the weight
  EXPECT_EQ(of("0.4", tenth), 1);
  EXPECT_EQ(of("0.6", tenth), 2);
  EXPECT_EQ(of("0.60000000000000000000000000000000001", tenth), 3);
  EXPECT_EQ(of("0", far), 0);  // the weight of 5e-324 counts
  EXPECT_EQ(of("0.5", far), 4);
}

TEST(WeightedQuantile, RefusesWhatWeighsNothingWell) {
  const std::vector<double> x = {1, 2}, minus = {1, -1};
  const Options options{.weights = row(minus)};
  expect_error(ErrorCode::bad_option,
               {"quantile: the weight of element 1 of a slice is -1; weights must be finite and at "
                "least 0"},
               [&] { quantile(row(x), {level("0.5", QuantileMethod::inverted_cdf)}, options); });
  expect_error(ErrorCode::bad_option,
               {"median: weighted quantiles cannot interpolate between two numbers; use the method "
                "\"inverted_cdf\" or \"averaged_inverted_cdf\", or fweights"},
               [&] { median(row(x), options); });
}

TEST(MeanOfTheMiddle, LeavesOutAsManyAtEachEnd) {
  const std::vector<double> x = {100, 1, 2, 3, -50};
  EXPECT_EQ(only(trimmed_mean(row(x), read_quantile("0.2"))), 2);
  EXPECT_EQ(only(winsorized_mean(row(x), read_quantile("0.2"))), 2);
  EXPECT_EQ(only(trimmed_mean(row(x), read_quantile("0.19"))), 56.0 / 5);
  expect_error(ErrorCode::bad_option,
               {"trimmed_mean: p is 1/2 or more; p is the fraction of the numbers to cut at each "
                "end, such as 0.1"},
               [&] { trimmed_mean(row(x), read_quantile("0.5")); });
  expect_error(ErrorCode::bad_option,
               {"trimmed_mean: .result is not supported by this function; leave it out"},
               [&] { trimmed_mean(row(x), read_quantile("0.1"), {.result = DType::f32}); });
}

TEST(Mode, IsTheLeastOfTheMostFrequent) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(only(mode(row({3, 1, 3, 1, 2}))), 1);
  EXPECT_FALSE(std::signbit(only(mode(row({-0.0, 5, -0.0})))));
  EXPECT_TRUE(std::isnan(only(mode(row({nan, 1, nan})))));
  EXPECT_EQ(only(mode(row({nan, 1, nan}), {.nan = NanPolicy::omit})), 1);
  EXPECT_EQ(mode(row({})).status[0], Status::empty_input);
  EXPECT_EQ(nunique(row({nan, 0, -0.0, nan, 7})).only().as<int64_t>(), 3);
}

TEST(Bins, CompareElementsWithEdgesNotWithRoundedOnes) {
  // As f64, 0.3, 0.6 and 0.7 lie below 3/10, 6/10 and 7/10.
  const std::vector<double> x = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
  const std::vector<int64_t> right = {1, 1, 2, 0, 1, 2, 1, 0, 1, 2};
  const Bins bins = Bins::equal({0}, {1}, 10);
  EXPECT_EQ(bins.count_of(row(x)), right);
  std::vector<int64_t> places(x.size());
  bins.bins_into(places.data(), row(x));
  EXPECT_EQ(places, (std::vector<int64_t>{0, 1, 2, 2, 4, 5, 5, 6, 8, 9, 9}));
}

TEST(Bins, OfLongIntegersHaveEdgesBetweenThem) {
  const int64_t big = int64_t{1} << 62;
  const std::vector<int64_t> x = {big, big + 1, big + 2, big + 3};
  const ArrayRef all(x.data(), DType::i64, Dims(int64_t{4}));
  EXPECT_EQ(Bins::equal({static_cast<double>(big)}, {static_cast<double>(big), 4}, 4).count_of(all),
            (std::vector<int64_t>{1, 1, 1, 1}));
}

TEST(Bins, ReachToInfinity) {
  const Bins::Edge edges[] = {{-HUGE_VAL}, {1}, {HUGE_VAL}};
  EXPECT_EQ(Bins::between(edges).count_of(row({-HUGE_VAL, 0, 1, HUGE_VAL, std::nan("")})),
            (std::vector<int64_t>{2, 2}));
}

TEST(Bins, RefuseEdgesThatMakeNone) {
  const Bins::Edge fall[] = {{1}, {0}}, one[] = {{1}};
  expect_error(ErrorCode::bad_option,
               {"histogram: edge 1 is below the one before it; edges must not decrease"},
               [&] { Bins::between(fall); });
  expect_error(ErrorCode::bad_option, {"histogram: 1 edges make no bin; pass two or more"},
               [&] { Bins::between(one); });
  expect_error(ErrorCode::bad_option,
               {"histogram: the range is empty; its end must be greater than its start"},
               [&] { Bins::equal({1}, {1}, 2); });
}

}  // namespace ONEFOLD_FILE
