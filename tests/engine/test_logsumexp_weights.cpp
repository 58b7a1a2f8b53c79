// logsumexp and logmeanexp with weights: each answer is the exact one, rounded once.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "big_float.hpp"
#include "expect_error.hpp"
#include "generate.hpp"
#include "onefold/cpu/exponential/kernels.hpp"
#include "onefold/logsumexp.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using Big = test::BigFloat<1500>;
using test::expect_error;
using test::Random;
constexpr double inf = std::numeric_limits<double>::infinity();

uint64_t bits_of_answer(const Answer& a, Size i = 0) {
  uint64_t bits = 0;
  std::memcpy(&bits, a.data.data() + i * bytes_of(a.dtype), bytes_of(a.dtype));
  return bits;
}
double value_of(const std::vector<double>& x, const std::vector<double>& w) {
  return logsumexp(x, {.weights = ArrayRef(w)}).only().as<double>();
}
double mean_of(const std::vector<double>& x, const std::vector<double>& w) {
  return logmeanexp(x, {.weights = ArrayRef(w)}).only().as<double>();
}

// Elements of one type, and weights.
struct Row {
  DType type;
  std::vector<std::byte> data;
  std::vector<double> weights;
  Size n() const { return weights.size(); }
  ArrayRef array() const { return {data.data(), type, Dims{static_cast<int64_t>(n())}}; }
  double at(Size i) const { return cpu_backend::element_of(data.data(), i, type); }
};
Row row_of(DType type, const std::vector<double>& x, std::vector<double> weights) {
  Row row{type, std::vector<std::byte>(x.size() * bytes_of(type)), std::move(weights)};
  for (Size i = 0; i < x.size(); ++i) {
    const Decoded d = decode(x[i]);
    const uint64_t bits =
        detail::round_to_float(d.mantissa, d.shift - 1074, false, d.negative, float_format(type));
    cpu_backend::put_element(row.data.data(), i, type, bits);
  }
  return row;
}

// Compares both functions of a row whose answers are no elements, unless all elements are equal.
void check(const Row& row, std::string_view target) {
  Big terms = 0, weights = 0;
  bool equal = true;
  for (Size i = 0; i < row.n(); ++i) {
    terms += row.weights[i] * exp(Big(row.at(i)));
    weights += row.weights[i];
    equal = equal && row.at(i) == row.at(0);
  }
  const FloatFormat f = float_format(row.type);
  const Options o{.weights = ArrayRef(row.weights), .threads = 1, .target = target};
  const Big want = equal && weights == 1 ? Big(row.at(0)) : log(terms);
  const Big mean = equal ? Big(row.at(0)) : log(terms / weights);
  const std::string what = std::string(name_of(row.type)) + " " + std::string(target) + " of " +
                           std::to_string(row.n()) + ": " + std::to_string(row.at(0)) + " * " +
                           std::to_string(row.weights[0]);
  EXPECT_EQ(bits_of_answer(logsumexp(row.array(), o)), test::rounded(want, f)) << what;
  EXPECT_EQ(bits_of_answer(logmeanexp(row.array(), o)), test::rounded(mean, f)) << what;
}

TEST(LogsumexpWeights, RoundTheExactValueOnce) {
  Random r(1);
  const auto unit = [&] { return static_cast<double>(r() >> 11) * 0x1p-53; };
  const auto targets = usable_targets();
  const DType types[] = {DType::f64, DType::f32, DType::f16, DType::bf16};
  for (int round = 0; round < test::scaled(240); ++round) {
    const int kind = static_cast<int>(r() % 6);
    std::vector<double> x(1 + r() % 7), w(x.size());
    const double centre = (unit() - 0.5) * std::exp2(static_cast<double>(r() % 10) - 3);
    for (double& v : x) {
      v = kind == 0   ? centre + 4 * unit()
          : kind == 1 ? 200 * unit() - 100
          : kind == 2 ? centre
          : kind == 3 ? centre - std::exp2(-static_cast<double>(r() % 60))
                      : 30 * unit() - 35;
    }
    for (double& v : w) {
      const int spread = kind == 4 ? 700 : kind == 5 ? 60 : 4;  // of exponents
      v = std::ldexp(1 + unit(), static_cast<int>(r() % (2 * spread)) - spread);
      if (r() % 8 == 0) v = 1;
    }
    check(row_of(types[r() % 4], x, w), name_of(targets[r() % targets.size()]));
  }
}

TEST(LogsumexpWeights, MayLieAnywhereInTheRangeOfF64) {
  const double least = 0x1p-1074, most = std::numeric_limits<double>::max();
  const double limits[] = {least, 0x1p-1022, 0x1p-301, 0.25, 1, 0x1p301, most};
  for (const DType type : {DType::f64, DType::f32}) {
    for (const double a : limits) {
      for (const double b : limits) {
        check(row_of(type, {0.5, -3}, {a, b}), {});
        check(row_of(type, {-60, 60}, {a, b}), {});
        check(row_of(type, {2, 2}, {a, b}), {});
      }
    }
  }
}

TEST(LogsumexpWeights, DecideWhatOnlyATinyTermDecides) {
  EXPECT_EQ(value_of({0, -700}, {1, 0.5}), std::exp(-700.0) / 2);
  EXPECT_EQ(value_of({0, -2000}, {1, 5}), 0);
  EXPECT_EQ(value_of({1e300, 3}, {1, 1e10}), 1e300);
  EXPECT_EQ(value_of({0, 0}, {1, 0x1p-1074}), 0x1p-1074);
  EXPECT_EQ(value_of({5, 3}, {1e-300, 1}), 3);
  EXPECT_EQ(value_of({0.1, 0.1, 0.1}, {0.25, 0.5, 0.25}), 0.1);
  EXPECT_EQ(mean_of({0.1, 0.1}, {1e-300, 3e200}), 0.1);
}

TEST(LogsumexpWeights, OfOneAreNone) {
  Random r(3);
  for (const DType type : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    std::vector<double> x(300);
    for (double& v : x) v = static_cast<double>(r() % 100'000) / 7000 - 5;
    for (const Size n : {1, 2, 7, 300}) {
      x.resize(n);
      const Row row = row_of(type, x, std::vector<double>(n, 1));
      const Options o{.weights = ArrayRef(row.weights)};
      EXPECT_EQ(logsumexp(row.array(), o).data, logsumexp(row.array()).data);
      EXPECT_EQ(logmeanexp(row.array(), o).data, logmeanexp(row.array()).data);
    }
  }
  EXPECT_TRUE(std::signbit(value_of({-0.0}, {1})));
}

TEST(LogsumexpWeights, OfIntegersRepeatElements) {
  Random r(4);
  for (int round = 0; round < test::scaled(30); ++round) {
    std::vector<float> x(1 + r() % 6), repeated;
    std::vector<uint8_t> w(x.size());
    for (Size i = 0; i < x.size(); ++i) {
      x[i] = round == 0 ? -0.0f : static_cast<float>(r() % 1000) / 100 - 5;
      w[i] = static_cast<uint8_t>(r() % 4 + (i == 0));
      repeated.insert(repeated.end(), w[i], x[i]);
    }
    EXPECT_EQ(logsumexp(x, {.weights = ArrayRef(w)}).data, logsumexp(repeated).data);
    EXPECT_EQ(logmeanexp(x, {.weights = ArrayRef(w)}).data, logmeanexp(repeated).data);
  }
}

TEST(LogsumexpWeights, OfZeroLeaveElementsOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(value_of({inf, 0.5, nan}, {0, 1, 0}), 0.5);
  EXPECT_EQ(value_of({1, 2}, {0, 0}), -inf);
  EXPECT_TRUE(std::isnan(mean_of({1, 2}, {0, 0})));
  EXPECT_EQ(value_of({}, {}), -inf);
}

TEST(LogsumexpWeights, OfWhatIsNotFiniteIsSaidByItsDefinition) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(value_of({-inf, inf, 3}, {2, 0.5, 1}), inf);
  EXPECT_EQ(value_of({-inf, -inf}, {2, 0.5}), -inf);
  EXPECT_EQ(value_of({-inf, 0.1}, {2, 1}), 0.1);
  EXPECT_EQ(mean_of({-inf, 0}, {1, 1}), -0x1.62e42fefa39efp-1);
  EXPECT_TRUE(std::isnan(value_of({inf, nan}, {1, 1})));
  const std::vector<double> x = {1, nan}, w = {1, 3};
  EXPECT_EQ(logsumexp(x, {.nan = NanPolicy::omit, .weights = ArrayRef(w)}).only().as<double>(), 1);
  EXPECT_EQ(logsumexp(x, {.nan = NanPolicy::raise, .weights = ArrayRef(w)}).status[0],
            Status::nan_found);
}

TEST(LogsumexpWeights, BroadcastAndGoWithMasksAndAxes) {
  Random r(5);
  std::vector<float> x(6 * 5 * 7), w(5 * 7);
  std::vector<Bool8> where(x.size());
  for (float& v : x) v = static_cast<float>(r() % 1000) / 100 - 5;
  for (float& v : w) v = static_cast<float>(r() % 100) / 16;
  for (Bool8& b : where) b.byte = r() % 3 != 0;
  const ArrayRef array(x.data(), DType::f32, Dims(6, 5, 7));
  const Answer rows =
      logsumexp(array, {.axes = {0, 2},
                        .where = Mask(ArrayRef(where.data(), DType::boolean, Dims(6, 5, 7))),
                        .weights = ArrayRef(w.data(), DType::f32, Dims(5, 7))});
  ASSERT_EQ(rows.shape, Dims(5));
  for (Size k = 0; k < 5; ++k) {
    std::vector<float> some;
    std::vector<double> weights;
    for (Size i = 0; i < 6; ++i) {
      for (Size j = 0; j < 7; ++j) {
        if (where[(i * 5 + k) * 7 + j].byte == 0) continue;
        some.push_back(x[(i * 5 + k) * 7 + j]);
        weights.push_back(static_cast<double>(w[k * 7 + j]));
      }
    }
    EXPECT_EQ(bits_of_answer(rows, k),
              bits_of_answer(logsumexp(some, {.weights = ArrayRef(weights)})));
  }
}

TEST(LogsumexpWeights, HaveTheSameBitsForAnyOrderThreadsAndInstructionSet) {
  std::vector<float> x((Size{1} << 18) + 12'345);
  std::vector<double> w(x.size()), y(x.size());
  Random r(6);
  for (Size i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(r() % 100'000) / 7000 - 5;
    y[i] = static_cast<double>(x[i]) + static_cast<double>(r() % 1000) * 1e-9;
    w[i] = static_cast<double>(r() % 1000) / 999;
  }
  const auto all = [&](const Options& o) {
    auto bytes = logsumexp(x, o).data;
    const auto more = logmeanexp(y, o).data;
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
  };
  const auto once = all({.weights = ArrayRef(w)});
  for (const Target t : usable_targets()) {
    EXPECT_EQ(all({.weights = ArrayRef(w), .threads = 3, .target = name_of(t)}), once);
  }
  std::reverse(x.begin(), x.end());
  std::reverse(y.begin(), y.end());
  std::reverse(w.begin(), w.end());
  EXPECT_EQ(all({.weights = ArrayRef(w), .threads = 1}), once);
}

TEST(LogsumexpWeights, AreFiniteNumbersOfTheHostThatBroadcast) {
  const std::vector<double> x = {1, 2}, three = {1, 2, 3};
  const auto refused = [&](double w, const char* text) {
    const std::vector<double> weights = {1, w};
    expect_error(ErrorCode::bad_option, {"logsumexp", "element 1", text, "at least 0"},
                 [&] { logsumexp(x, {.weights = ArrayRef(weights)}); });
  };
  refused(-0.5, "-0.5");
  refused(inf, "inf");
  refused(std::numeric_limits<double>::quiet_NaN(), "nan");
  const std::vector<int64_t> large = {1, (int64_t{1} << 53) + 1};
  expect_error(ErrorCode::type_mismatch, {"logmeanexp", "9007199254740993"},
               [&] { logmeanexp(x, {.weights = ArrayRef(large)}); });
  expect_error(ErrorCode::shape_mismatch, {"logsumexp", "the weights", "(3,)"},
               [&] { logsumexp(x, {.weights = ArrayRef(three)}); });
  expect_error(ErrorCode::bad_option, {"softmax", ".weights"},
               [&] { softmax(x, {.weights = ArrayRef(x)}); });
  expect_error(ErrorCode::bad_option, {"logsumexp", ".weights", "device"},
               [&] { logsumexp(x, {.weights = ArrayRef(x), .device = cuda(0)}); });
  ArrayRef there(x);
  there.device = cuda(0);
  expect_error(ErrorCode::unsupported, {"logsumexp", "weights", "device"},
               [&] { logsumexp(x, {.weights = there}); });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
