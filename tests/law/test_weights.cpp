// Weights that repeat elements give the answers of the repeated array; average is the exact
// quotient of two sums.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "check.hpp"
#include "expect_error.hpp"
#include "onefold/onefold.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

TEST(FrequencyWeights, GiveTheAnswersOfTheRepeatedArray) {
  Random r(1);
  for (int round = 0; round < test::scaled(200) && !HasFatalFailure(); ++round) {
    const auto t = static_cast<DType>(r() % dtype_count);
    const auto names = test::generators(t);
    const std::size_t n = test::pick_log(r, 1, 200) - 1;
    const Data x = test::generate(names[r() % names.size()], t, n, r());
    std::vector<uint8_t> weights(n);
    for (uint8_t& w : weights) w = static_cast<uint8_t>(r() % 2 == 0 ? 0 : r() % 30);
    std::vector<Bool8> mask(n);
    for (Bool8& m : mask) m.byte = r() % 4 != 0;
    const bool masked = r() % 2 == 0;
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < n; ++i) {
      if (masked && mask[i].byte == 0) continue;
      at.insert(at.end(), weights[i], i);
    }
    Data repeated(t, at.size());
    for (std::size_t i = 0; i < at.size(); ++i) repeated.set(i, x.bits(at[i]));
    const oracle::Fold expected(oracle::type(name_of(t)), repeated.data(), repeated.size());
    Options o = test::some_options(r, at.size());
    o.result.reset();
    if (masked) o.where = mask;
    o.fweights = weights;
    const ArrayRef array(x.data(), t, {static_cast<int64_t>(n)});
    std::string ops = test::ops_of_one_array(t);
    for (const char* index : {"argmin,", "argmax,"}) ops.erase(ops.find(index), 7);
    ASSERT_EQ(test::compare(fold(ops, array, o), 0, expected, o), "")
        << name_of(t) << " " << n << test::describe(o);
    Options g = o;
    g.ddof = {};
    const State s = gather("mean,var", array, g);
    EXPECT_EQ(s.count(), at.size());
    EXPECT_EQ(State::load(s.save()), s);
  }
}

TEST(FrequencyWeights, BroadcastAndGoAlongAxes) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  const ArrayRef a(x.data(), f64, {2, 3});
  const std::vector<int64_t> weights{1, 0, 2};
  const Answers rows = fold("sum,mean,count", a, {.axes = {1}, .fweights = weights});
  EXPECT_EQ(rows["sum"].values<double>()[0], 7);
  EXPECT_EQ(rows["mean"].values<double>()[1], 16.0 / 3);
  EXPECT_EQ(rows["count"].values<int64_t>()[0], 3);
  const int32_t down[] = {1, 3};
  std::vector<double> out(3);
  fold_into(out, "sum", a, {.axes = {0}, .fweights = ArrayRef(down, i32, {2, 1})});
  EXPECT_EQ(out, (std::vector<double>{13, 17, 21}));
  const std::vector<int64_t> many{int64_t{1} << 61, 0, 0};
  EXPECT_EQ(fold("mean", a, {.axes = {1}, .fweights = many})["mean"][1].as<double>(), 4);
}

TEST(FrequencyWeights, OfAnyStridesStandBesideAMask) {
  const std::vector<double> x{1, 2, 4, 8, 16, 32};
  const ArrayRef a(x.data(), f64, {2, 3});
  const int16_t backwards[] = {5, -9, 3, -9, 0};
  ArrayRef weights(backwards + 4, DType::i16, {3});  // 0, 3, 5
  weights.strides[0] = -4;
  const std::vector<Bool8> bytes{{1}, {1}, {0}};
  const uint8_t bits[] = {0b01110000, 0};  // from bit 4 on: all of row 0, none of row 1
  Options o{.axes = {1}, .fweights = weights};
  const auto second = [&] { return fold("sum", a, o)["sum"][1].as<double>(); };
  EXPECT_EQ(second(), 3 * 16 + 5 * 32);
  o.where = bytes;
  EXPECT_EQ(second(), 3 * 16);
  o.where = Mask::of_bits(bits, 4, {2, 3});
  EXPECT_EQ(second(), 0);
  o.axes = {0};
  EXPECT_EQ(second(), 3 * 2);
}

TEST(FrequencyWeights, AreRefusedWhereTheyCountNothing) {
  const std::vector<double> x(3);
  const std::vector<int32_t> negative{1, -2, 0};
  test::expect_error(ErrorCode::bad_option, {"element 1", "-2"},
                     [&] { fold("sum", x, {.fweights = negative}); });
  test::expect_error(ErrorCode::type_mismatch, {"f64", "integer"},
                     [&] { fold("sum", x, {.fweights = x}); });
  const std::vector<int32_t> four(4);
  test::expect_error(ErrorCode::shape_mismatch, {"(4,)", "(3,)"},
                     [&] { fold("sum", x, {.fweights = four}); });
  const std::vector<uint64_t> huge{~uint64_t{0}, 1, 1};
  test::expect_error(ErrorCode::overflow, {"2^63"}, [&] { fold("sum", x, {.fweights = huge}); });
  const std::vector<int32_t> one{1, 1, 1};
  test::expect_error(ErrorCode::bad_option, {"one array"},
                     [&] { fold("dot", x, x, {.fweights = one}); });
}

TEST(Average, IsTheMeanWhereWeightsAreEqual) {
  const std::vector<float> x{0.1f, 0.2f, 0.4f, -7};
  for (const float w : {1.0f, 1e-30f, 3e30f, -2.0f}) {
    EXPECT_EQ(average(x, std::vector<float>(4, w)), mean(x));
  }
}

TEST(Average, TakesWeightsThatBroadcast) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  const ArrayRef a(x.data(), f64, {2, 3});
  const std::vector<double> latitude{1, 3};
  const Options o{.weights = ArrayRef(latitude.data(), f64, {2, 1})};
  EXPECT_EQ(fold("average", a, o).get<double>("average"), (6 + 3 * 15) / 12.0);
  const Answers down = fold("average", a, {.axes = {0}, .weights = o.weights});
  EXPECT_EQ(down["average"].values<double>()[0], (1 + 12) / 4.0);
  EXPECT_EQ(gather("average", a, o).answer("average").as<double>(), 51 / 12.0);
}

TEST(Weights, GiveTheMomentsOfTheRepeatedArray) {
  const std::vector<double> x{1, 2, 4}, y{3, -1, 5}, times{1, 3, 2};
  const std::vector<double> all_x{1, 2, 2, 2, 4, 4}, all_y{3, -1, -1, -1, 5, 5};
  for (const double scale : {1.0, 0x1p-900, -0x1p900}) {
    std::vector<double> w = times;
    for (double& v : w) v *= scale;
    const Answers one = fold("var,mean,std", x, {.weights = w});
    EXPECT_EQ(one.get<double>("var"), var(all_x));
    EXPECT_EQ(one.get<double>("mean"), mean(all_x));
    EXPECT_EQ(one.get<double>("std"), std(all_x));
    for (const char* op : {"skewness", "kurtosis"}) {
      EXPECT_EQ(fold(op, x, {.weights = w}).get<double>(op), fold(op, all_x).get<double>(op));
    }
    EXPECT_EQ(var(x, {.weights = w}), var(all_x));
    for (const char* op :
         {"mse", "rmse", "mae", "cov", "total_var", "total_std", "corr", "slope", "intercept"}) {
      EXPECT_EQ(fold(op, x, y, {.weights = w}).get<double>(op),
                fold(op, all_x, all_y).get<double>(op))
          << op << " " << scale;
    }
  }
}

// Answers by panels, several of them for one answer, and in parts of several threads.
TEST(Weights, OfLongArraysAreThoseOfTheRepeatedArray) {
  constexpr Size rows = 12, columns = 70'000;
  Random r(5);
  std::vector<double> x(rows * columns), y(x.size()), w(x.size());
  for (Size i = 0; i < x.size(); ++i) {
    x[i] = 1e3 + static_cast<double>(r() % 100'000) / 7;
    y[i] = x[i] / 3 - static_cast<double>(r() % 1'000) / 11;
    w[i] = static_cast<double>(r() % 4);
  }
  const auto repeated = [&](const std::vector<double>& v, Size begin, Size end) {
    std::vector<double> all;
    for (Size i = begin; i < end; ++i) all.insert(all.end(), static_cast<Size>(w[i]), v[i]);
    return all;
  };
  const auto expect = [&](const Answers& found, Size k, Size begin, Size end) {
    const std::vector<double> all_x = repeated(x, begin, end), all_y = repeated(y, begin, end);
    for (const char* op : {"mse", "mae", "cov", "total_std", "corr", "slope", "intercept"}) {
      EXPECT_EQ(found[op].values<double>()[k], fold(op, all_x, all_y).get<double>(op)) << op;
    }
  };
  constexpr const char* ops = "mse,mae,cov,total_std,corr,slope,intercept";
  for (const int threads : {1, 2, 5}) {
    Options whole{.threads = threads};
    whole.weights = w;
    expect(fold(ops, x, y, whole), 0, 0, x.size());
    const std::vector<double> all_x = repeated(x, 0, x.size());
    for (const char* op : {"var", "skewness", "kurtosis"}) {
      EXPECT_EQ(fold(op, x, whole).get<double>(op), fold(op, all_x).get<double>(op)) << op;
    }
    const Dims shape{static_cast<int64_t>(rows), static_cast<int64_t>(columns)};
    Options along{.axes = {1}, .threads = threads};
    along.weights = ArrayRef(w.data(), f64, shape);
    const Answers found =
        fold(ops, ArrayRef(x.data(), f64, shape), ArrayRef(y.data(), f64, shape), along);
    expect(found, 3, 3 * columns, 4 * columns);
    expect(found, 11, 11 * columns, 12 * columns);
  }
}

TEST(Weights, GoAlongAxesAndBesideMasks) {
  const std::vector<float> x{1, 2, 3, 4, 5, 9};
  const ArrayRef a(x.data(), f32, {2, 3});
  const std::vector<float> down{1, 3};
  const Answers found =
      fold("var", a, {.axes = {0}, .weights = ArrayRef(down.data(), f32, {2, 1})});
  EXPECT_EQ(found["var"].values<float>()[2], 27.0f / 4);
  const std::vector<Bool8> mask{{1}, {0}, {1}};
  const std::vector<float> w{1, 100, 1};
  const Answers rows = fold("var", a, {.axes = {1}, .where = mask, .weights = w});
  EXPECT_EQ(rows["var"].values<float>()[1], 6.25f);
}

TEST(Weights, OfInfinitiesAndNaN) {
  const double inf = INFINITY, nan = NAN;
  const auto mse_of = [](double x, double y, double w, NanPolicy policy = NanPolicy::propagate) {
    const std::vector<double> xs{x, 2}, ys{y, 2}, ws{w, 2};
    return fold("mse", xs, ys, {.nan = policy, .weights = ws})["mse"].only();
  };
  EXPECT_EQ(mse_of(inf, 0, 1).as<double>(), inf);
  EXPECT_EQ(mse_of(inf, 0, -1).as<double>(), -inf);
  EXPECT_TRUE(std::isnan(mse_of(inf, inf, 1).as<double>()));
  EXPECT_TRUE(std::isnan(mse_of(inf, 0, 0).as<double>()));
  EXPECT_TRUE(std::isnan(mse_of(0, 0, inf).as<double>()));
  EXPECT_TRUE(std::isnan(mse_of(0, 0, nan).as<double>()));
  EXPECT_EQ(mse_of(5, 0, nan, NanPolicy::omit).as<double>(), 0);
  EXPECT_EQ(mse_of(5, nan, 1, NanPolicy::raise).status, Status::nan_found);
  EXPECT_TRUE(std::isnan(mse_of(5, 0, -2).as<double>()));  // the weights sum to 0
  EXPECT_TRUE(std::isnan(var(std::vector{inf, 1.0}, {.weights = std::vector{1.0, 1.0}})));
}

TEST(Weights, CountNoElements) {
  const std::vector<double> x{1, 2};
  test::expect_error(ErrorCode::bad_option, {"ddof", ".fweights"},
                     [&] { fold("var", x, {.ddof = 1, .weights = x}); });
  test::expect_error(ErrorCode::bad_option, {"leave one of them out"},
                     [&] { fold("var", x, {.weights = x, .fweights = x}); });
}

// A spread of weights of both signs may be negative: then there is no correlation, though the
// numerator is 0.
TEST(Weights, OfBothSignsMayLeaveNoCorrelation) {
  const std::vector<double> x{1, 2, 0}, y{1, 0, 0}, w{1, -2, -2};
  Options o;
  o.weights = ArrayRef(w);
  EXPECT_TRUE(std::isnan(fold("corr", ArrayRef(x), ArrayRef(y), o).get<double>("corr")));
}

TEST(Average, OfWeightsThatCancelIsNaN) {
  const std::vector<double> x{1, 2}, opposed{1, -1}, none{0, 0}, infinite{1, INFINITY};
  EXPECT_TRUE(std::isnan(average(x, opposed)));
  EXPECT_TRUE(std::isnan(average(x, none)));
  EXPECT_TRUE(std::isnan(average(x, infinite)));
  EXPECT_EQ(average(std::vector{INFINITY, 1.0}, std::vector{-1.0, 2.0}), -INFINITY);
}

TEST(Average, RefusesWeightsOfOthers) {
  const std::vector<double> x{1, 2};
  const std::vector<float> single{1, 2};
  test::expect_error(ErrorCode::bad_option,
                     {"sum", "average, kurtosis, kurtosis_pearson, mean, moment3"},
                     [&] { fold("sum", x, {.weights = x}); });
  test::expect_error(ErrorCode::bad_option, {"mean", "average"},
                     [&] { gather("mean", x, {.weights = x}); });
  test::expect_error(ErrorCode::type_mismatch, {"f64", "f32"},
                     [&] { fold("average", x, {.weights = single}); });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
