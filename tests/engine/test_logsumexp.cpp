// logsumexp, logmeanexp, softmax and log_softmax: each answer is the exact one, rounded once.
#include "onefold/logsumexp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "big_float.hpp"
#include "expect_error.hpp"
#include "generate.hpp"
#include "onefold/cpu/exponential/kernels.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using Big = test::BigFloat<1000>;
using test::expect_error;
using test::Random;
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
T element(double v) {
  if constexpr (sizeof(T) >= 4) {
    return static_cast<T>(v);
  } else {
    const Decoded d = decode(v);
    return T{static_cast<uint16_t>(detail::round_to_float(d.mantissa, d.shift - 1074, false,
                                                          d.negative, float_format(dtype_of<T>)))};
  }
}
uint64_t bits_at(const Answer& a, Size i) {
  uint64_t bits = 0;
  std::memcpy(&bits, a.data.data() + i * bytes_of(a.dtype), bytes_of(a.dtype));
  return bits;
}

// Compares the four functions of a row, whose elements' spread is below 600.
template <class T>
void check_row(const std::vector<double>& numbers, std::string_view target) {
  std::vector<T> x;
  for (const double v : numbers) x.push_back(element<T>(v));
  const FloatFormat f = float_format(dtype_of<T>);
  const Size n = x.size();
  std::vector<Big> e(n), v(n);
  Big sum = 0;
  for (Size i = 0; i < n; ++i) {
    v[i] = cpu_backend::element_of(x.data(), i, dtype_of<T>);
    e[i] = exp(v[i]);
    sum += e[i];
  }
  const Big log_of_sum = log(sum);
  const Options o{.threads = 1, .target = target};
  const auto same = [&](const char* function, const Answer& got, Size i, const Big& want) {
    EXPECT_EQ(bits_at(got, i), test::rounded(want, f))
        << function << " " << i << " of " << n << " " << name_of(dtype_of<T>) << " " << target
        << ": " << numbers[0] << " " << numbers[1];
  };
  same("logsumexp", logsumexp(x, o), 0, log_of_sum);
  bool equal = true;
  for (const Big& one : v) equal = equal && one == v[0];
  same("logmeanexp", logmeanexp(x, o), 0, equal ? v[0] : log_of_sum - log(Big(n)));
  const Answer soft = softmax(x, o), logs = log_softmax(x, o);
  for (Size i = 0; i < n; ++i) {
    same("softmax", soft, i, equal ? 1 / Big(n) : e[i] / sum);
    same("log_softmax", logs, i, v[i] - log_of_sum);
  }
}

TEST(Logsumexp, RoundsTheExactValueOnce) {
  Random r(1);
  const auto unit = [&] { return static_cast<double>(r() >> 11) * 0x1p-53; };
  const auto targets = usable_targets();
  for (int round = 0; round < test::scaled(240); ++round) {
    const int kind = static_cast<int>(r() % 7);
    std::vector<double> x(2 + r() % 7);
    const double centre = (unit() - 0.5) * std::exp2(static_cast<double>(r() % 10) - 3);
    for (double& v : x) {
      v = kind == 0   ? centre + 4 * unit()
          : kind == 1 ? 200 * unit() - 100
          : kind == 2 ? centre
          : kind == 3 ? centre - std::exp2(-static_cast<double>(r() % 60))
          : kind == 4 ? -unit() * std::exp2(static_cast<double>(r() % 9))
          : kind == 5 ? 30 * unit() - 35
                      : -std::log(static_cast<double>(x.size())) + (unit() - 0.5) * 1e-9;
    }
    if (r() % 4 == 0) x[r() % x.size()] = 0;
    const auto target = name_of(targets[r() % targets.size()]);
    switch (r() % 4) {
      case 0:
        check_row<double>(x, target);
        break;
      case 1:
        check_row<float>(x, target);
        break;
      case 2:
        check_row<bfloat16>(x, target);
        break;
      default:
        check_row<float16>(x, target);
    }
  }
}

// ln(1 + e^-d) is added to a greatest element that all bits of the answer need.
TEST(Logsumexp, DecidesWhatOnlyATinyTermDecides) {
  const auto value = [](const std::vector<double>& x) { return logsumexp(x).only().as<double>(); };
  EXPECT_EQ(value({0, -740}), 0x55p-1074);
  EXPECT_EQ(bit_cast<uint64_t>(value({0, -1000})), 0u);
  EXPECT_EQ(value({1e300, 3}), 1e300);
  EXPECT_EQ(value({-1.7e308, 1.7e308}), 1.7e308);
  // log_softmax of the second is -(a - b) less e^-1239, and a - b lies between two f32.
  const std::vector<float> x = {0x1.68fc5ep+9f, -0x1.02987p+9f};
  EXPECT_EQ(log_softmax(x)[1].as<float>(), -0x1.35ca68p+10f);
  // So does it here, where e^-(a - b) takes 24 million bits, or more than there are.
  const std::vector<float> masked = {1, -0x1p24f}, far = {32, -1e9f};
  EXPECT_EQ(log_softmax(masked)[1].as<float>(), -0x1.000002p24f);
  EXPECT_EQ(log_softmax(far)[1].as<float>(), -0x1.dcd652p29f);
  const std::vector<double> wide = {1, -0x1p53};
  EXPECT_EQ(log_softmax(wide)[1].as<double>(), -0x1.0000000000001p53);
  // The mean's logarithm is a little above -2^-1075, half the least number.
  const std::vector<double> least = {0, -0x1p-1074};
  EXPECT_EQ(bit_cast<uint64_t>(logmeanexp(least).only().as<double>()), uint64_t{1} << 63);
}

TEST(Logsumexp, OfWhatIsNotFiniteIsSaidByItsDefinition) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto value = [](const std::vector<double>& x) { return logsumexp(x).only().as<double>(); };
  const auto mean = [](const std::vector<double>& x) { return logmeanexp(x).only().as<double>(); };
  EXPECT_EQ(value({}), -inf);
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_EQ(value({-inf, -inf}), -inf);
  EXPECT_EQ(value({-inf, inf, 3}), inf);
  EXPECT_TRUE(std::isnan(value({inf, nan})));
  EXPECT_TRUE(std::isnan(value({-inf, nan})));
  EXPECT_EQ(value({0.1}), 0.1);
  EXPECT_TRUE(std::signbit(value({-0.0})));
  EXPECT_EQ(value({0.1, -inf}), 0.1);
  EXPECT_EQ(mean({0, -inf}), -0x1.62e42fefa39efp-1);
  EXPECT_EQ(mean({0.1, 0.1, 0.1}), 0.1);
  const std::vector<double> x = {1, inf, -inf}, lowest = {-inf, -inf}, one = {5, -inf};
  EXPECT_EQ(softmax(x)[0].as<double>(), 0);
  EXPECT_TRUE(std::isnan(softmax(x)[1].as<double>()));
  EXPECT_EQ(log_softmax(x)[0].as<double>(), -inf);
  EXPECT_TRUE(std::isnan(softmax(lowest)[0].as<double>()));
  EXPECT_EQ(softmax(one)[0].as<double>(), 1);
  EXPECT_EQ(softmax(one)[1].as<double>(), 0);
  EXPECT_EQ(bit_cast<uint64_t>(log_softmax(one)[0].as<double>()), 0u);
  EXPECT_EQ(log_softmax(one)[1].as<double>(), -inf);
  EXPECT_EQ(logsumexp(std::vector<double>{1, nan}, {.nan = NanPolicy::omit}).only().as<double>(),
            1);
  EXPECT_EQ(logsumexp(std::vector<double>{nan}, {.nan = NanPolicy::raise}).status[0],
            Status::nan_found);
}

TEST(Logsumexp, OfASliceIsThatOfItsElementsAlone) {
  Random r(5);
  std::vector<float> x(6 * 5 * 7);
  std::vector<Bool8> where(x.size());
  for (float& v : x) v = static_cast<float>(r() % 1000) / 100 - 5;
  for (Bool8& b : where) b.byte = r() % 3 != 0;
  const ArrayRef array(x.data(), DType::f32, Dims(6, 5, 7));
  const Answer rows = logsumexp(
      array,
      {.axes = {0, 2}, .where = Mask(ArrayRef(where.data(), DType::boolean, Dims(6, 5, 7)))});
  const Answer soft = softmax(array, {.axes = {0, 2}}),
               kept = logmeanexp(array, {.axes = {1}, .keepdims = true});
  ASSERT_EQ(rows.shape, Dims(5));
  ASSERT_EQ(soft.shape, Dims(6, 5, 7));
  ASSERT_EQ(kept.shape, Dims(6, 1, 7));
  for (Size k = 0; k < 5; ++k) {
    std::vector<float> all, some;
    for (Size i = 0; i < 6; ++i) {
      for (Size j = 0; j < 7; ++j) {
        all.push_back(x[(i * 5 + k) * 7 + j]);
        if (where[(i * 5 + k) * 7 + j].byte != 0) some.push_back(all.back());
      }
    }
    EXPECT_EQ(bits_at(rows, k), bits_at(logsumexp(some), 0));
    const Answer alone = softmax(all);
    for (Size i = 0; i < 6; ++i) {
      for (Size j = 0; j < 7; ++j) {
        EXPECT_EQ(bits_at(soft, (i * 5 + k) * 7 + j), bits_at(alone, i * 7 + j));
      }
    }
  }
}

TEST(Logsumexp, HasTheSameBitsForAnyThreadsAndInstructionSet) {
  std::vector<float> x((Size{1} << 18) + 12'345);
  std::vector<double> y(x.size());
  Random r(6);
  for (Size i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(r() % 100'000) / 7000 - 5;
    y[i] = static_cast<double>(r() % 100'000) / 7000 - 5;
  }
  for (const ArrayRef& a : {ArrayRef(x), ArrayRef(y)}) {
    const Answer sum = logsumexp(a), soft = softmax(a);
    for (const Target t : usable_targets()) {
      const Options o{.threads = 3, .target = name_of(t)};
      EXPECT_EQ(logsumexp(a, o).data, sum.data) << name_of(t);
      EXPECT_EQ(softmax(a, o).data == soft.data, true) << name_of(t);
    }
  }
}

TEST(Logsumexp, TakesIntegersAsF64) {
  const std::vector<int64_t> x = {1, 2, 3};
  EXPECT_EQ(logsumexp(x).only().as<double>(),
            logsumexp(std::vector<double>{1, 2, 3}).only().as<double>());
  const std::vector<int64_t> large = {(int64_t{1} << 53) + 1};
  expect_error(ErrorCode::type_mismatch, {"logsumexp", "9007199254740993"},
               [&] { logsumexp(large); });
}

TEST(Logsumexp, WritesToMemoryOfTheCaller) {
  const std::vector<int32_t> x = {1, 2, 3, 4};
  const ArrayRef grid(x.data(), DType::i32, Dims{2, 1, 2});
  std::vector<double> out(1);
  logsumexp_into(OutputRef(out.data(), DType::f64, Dims{1}), grid, {.axes = {0, 2}});
  EXPECT_EQ(out[0], logsumexp(grid).only().as<double>());
  std::vector<double> y = {0, 1}, soft(2);
  softmax_into(soft, y);
  EXPECT_EQ(soft[1], softmax(y)[1].as<double>());
  expect_error(ErrorCode::shape_mismatch, {"softmax", "(1,)", "(2,)"},
               [&] { softmax_into(out, y); });
}

TEST(Logsumexp, RefusesWhatItHasNot) {
  const std::vector<double> x = {1, 2};
  expect_error(ErrorCode::bad_option, {"softmax", ".nan"},
               [&] { softmax(x, {.nan = NanPolicy::omit}); });
  expect_error(ErrorCode::bad_axis, {"logsumexp", "axis 1"}, [&] { logsumexp(x, {.axes = {1}}); });
  expect_error(ErrorCode::unsupported, {"softmax", "softmax_into"},
               [&] { softmax(x, {.device = cuda(0)}); });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
