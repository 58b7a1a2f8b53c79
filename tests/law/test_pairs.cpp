// Every op of two arrays equals the oracle's answer on hard data: of whole arrays, along axes,
// under masks and in states, for every type and instruction set. Also tests properties that hold
// for all data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "expect_error.hpp"
#include "onefold/cpu/feed.hpp"
#include "onefold/onefold.hpp"
#include "oracle/pair.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

const std::string all_ops =
    "mse,rmse,distance,mae,max_abs_diff,cov,total_var,total_std,corr,slope,intercept,cosine,"
    "average";
// Along axes, these ops need no states if sums in f64 can decide the answer.
const std::string without_states = "mse,rmse,distance,mae,average,cov,corr,slope,intercept,cosine";

// Elements [0, n) of an array related to x: equal, negated, off by a few bits, or unrelated.
Data partner(Random& r, const Data& x, std::string& how) {
  const DType t = x.dtype();
  Data y = x;
  const auto names = test::generators(t);
  const auto kind = r() % 5;
  how = kind == 0 ? "itself" : kind == 1 ? "turned" : kind == 2 ? "near" : "another";
  if (kind >= 3) {
    const std::string_view g = kind == 3 ? names[0] : names[r() % names.size()];
    how = std::string(g);
    return test::generate(g, t, x.size(), r());
  }
  if (t == DType::boolean) return y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const uint64_t bits = x.bits(i), sign = uint64_t{1} << (8 * bytes_of(t) - 1);
    if (kind == 1) y.set(i, is_floating(t) ? bits ^ sign : 0 - bits);
    if (kind == 2) y.set(i, bits ^ (r() % 4));
  }
  return y;
}

Options some_options(Random& r, std::size_t n) {
  Options o = test::some_options(r, n);
  if (o.result && !is_floating(*o.result)) o.result.reset();
  return o;
}

class EveryPair : public testing::TestWithParam<std::string> {};

TEST_P(EveryPair, IsWhatTheOracleSays) {
  Random r(1);
  const bool slow = GetParam() == "portable";
  for (int round = 0; round < (slow ? 150 : 500) && !HasFatalFailure(); ++round) {
    const auto t = static_cast<DType>(r() % 2 == 0 ? r() % dtype_count
                                                   : static_cast<uint64_t>(DType::f16) + r() % 4);
    const auto names = test::generators(t);
    const std::string_view g = names[r() % names.size()];
    const std::size_t n = test::pick_log(r, 1, round % 20 == 0 ? 9000 : 300) - 1;
    const uint64_t seed = r() % 100000;
    const Data x = test::generate(g, t, n, seed);
    std::string how;
    const Data y = partner(r, x, how);
    Options o = some_options(r, n);
    o.target = GetParam();
    o.threads = static_cast<int>(r() % 3);
    const auto extent = static_cast<int64_t>(n);
    const Answers got =
        fold(all_ops, ArrayRef(x.data(), t, {extent}), ArrayRef(y.data(), t, {extent}), o);
    for (const Answer& a : got.list) {
      const oracle::Value expected =
          oracle::pair(a.op, oracle::type(name_of(t)), x.data(), y.data(), n, test::for_oracle(o));
      ASSERT_EQ(test::compare(a.op, a[0], expected), "")
          << test::describe(g, t, n, seed) << " with " << how << test::describe(o);
    }
  }
}

// Axes in any order and a mask that may broadcast: each answer is that of its own pairs.
TEST_P(EveryPair, IsThatOfItsSlicesAlongAxesAndUnderMasks) {
  Random r(2);
  for (int round = 0; round < test::scaled(100) && !HasFatalFailure(); ++round) {
    const bool floats = round % 2 != 0;
    const auto t = static_cast<DType>(floats ? static_cast<uint64_t>(DType::f16) + r() % 4
                                             : r() % dtype_count);
    const std::string ops = floats ? without_states : all_ops;
    const auto names = test::generators(t);
    const auto rows = static_cast<int64_t>(test::pick_log(r, 1, 40)),
               columns = static_cast<int64_t>(test::pick_log(r, 1, 40));
    const auto n = static_cast<std::size_t>(rows * columns);
    const Data x = test::generate(names[r() % names.size()], t, n, r());
    std::string how;
    const Data y = partner(r, x, how);
    const auto bytes = static_cast<int64_t>(bytes_of(t));
    const bool turned = r() % 2 == 0, masked = r() % 2 == 0, down = r() % 2 == 0;
    const Dims shape(rows, columns), along(columns * bytes, bytes), across(bytes, rows * bytes);
    const ArrayRef a(x.data(), t, shape, along), b(y.data(), t, shape, turned ? across : along);
    std::vector<Bool8> mask(static_cast<std::size_t>(columns));
    for (Bool8& m : mask) m.byte = r() % 3 != 0;
    Options o = some_options(r, n);
    o.target = GetParam();
    o.axes = {down ? 0 : 1};
    if (masked) o.where = mask;
    const Answers got = fold(ops, a, b, o);
    for (int64_t k = 0; k < (down ? columns : rows); ++k) {
      Data p(t, n), q(t, n);
      std::size_t m = 0;
      for (int64_t i = 0; i < (down ? rows : columns); ++i) {
        const int64_t row = down ? i : k, column = down ? k : i;
        if (masked && mask[static_cast<std::size_t>(column)].byte == 0) continue;
        p.set(m, x.bits(static_cast<std::size_t>(row * columns + column)));
        q.set(m++, y.bits(static_cast<std::size_t>(turned ? column * rows + row
                                                          : row * columns + column)));
      }
      for (const Answer& answer : got.list) {
        const oracle::Value expected = oracle::pair(answer.op, oracle::type(name_of(t)), p.data(),
                                                    q.data(), m, test::for_oracle(o));
        ASSERT_EQ(test::compare(answer.op, answer[static_cast<Size>(k)], expected), "")
            << name_of(t) << to_string(shape) << (down ? " down" : " along") << " with " << how
            << (masked ? " masked" : "") << test::describe(o);
      }
    }
  }
}

std::vector<std::string> targets() {
  std::vector<std::string> list;
  for (const cpu_backend::Target t : usable_targets()) list.emplace_back(name_of(t));
  return list;
}
INSTANTIATE_TEST_SUITE_P(Targets, EveryPair, testing::ValuesIn(targets()),
                         [](const auto& i) { return i.param; });

// Rows of two arrays. Each row is hard in its own way.
template <class T>
void fill_row(Random& r, int kind, std::span<T> x, std::span<T> y) {
  const T huge = std::numeric_limits<T>::max() / T{16}, tiny = std::numeric_limits<T>::denorm_min();
  const T inf = std::numeric_limits<T>::infinity();
  // 2^24 + 1 and 2^54 + 2 are ties: they lie halfway between two numbers of the type.
  const T wide = sizeof(T) == 4 ? T{4096} : T{1 << 27};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto small = static_cast<T>(static_cast<double>(r() % 2000) - 1000);
    x[i] = kind == 1 ? huge * (small / T{1000}) : kind == 2 ? small * tiny : small / T{7};
    y[i] = kind == 0    ? small * small
           : kind == 4  ? x[i] + (i == 0 ? wide : T{0})
           : i % 3 == 0 ? x[i]
                        : std::nextafter(x[i], inf);
  }
  if (kind == 3) {
    std::fill(x.begin(), x.end(), T{0});
    std::fill(y.begin(), y.end(), T{0});
    x[0] = wide;
    for (std::size_t i = 1; i < x.size() && i < (sizeof(T) == 4 ? 2 : 3); ++i) y[i] = -1;
  }
  if (kind == 5) x[x.size() / 2] = r() % 2 == 0 ? inf : -inf;
  if (kind == 6) y[x.size() / 3] = x[x.size() / 3] = inf;
  if (kind == 7) y[x.size() / 2] = std::numeric_limits<T>::quiet_NaN();
  if (kind == 8) std::copy(x.begin(), x.end(), y.begin());
  // Points on a line or near one; constants; numbers far from 0; x of both signs, so that products
  // cancel.
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (kind == 9) y[i] = 3 * x[i] + 1;
    if (kind == 10) x[i] = wide / T{3};
    if (kind == 11) y[i] = -wide;
    if (kind == 12) x[i] += wide, y[i] -= wide;
    if (kind == 13) x[i] = static_cast<T>(i % 4 < 2 ? 1 : -1), y[i] = static_cast<T>(i % 2 == 0);
  }
  // Sums that one or two words cannot hold: elements far from 0, and far larger elements that
  // cancel.
  const T far = sizeof(T) == 4 ? T{0x1p60} : T{0x1p80};
  if (kind == 14) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += T{0x1p40}, y[i] += T{0x1p40};
  }
  if (kind == 15) {
    x.front() = far;
    x.back() = -far;
    y.back() = y.front();
  }
  // A constant next to zeros: the line has no slope.
  if (kind == 16 || kind == 17) {
    std::fill(x.begin(), x.end(), T(0.1));
    std::fill(y.begin(), y.end(), T{0});
    if (kind == 17) std::swap_ranges(x.begin(), x.end(), y.begin());
  }
}
constexpr std::size_t kinds_of_rows = 18;

// Rows with ties, near cancellation, overflow, subnormals, equal arrays, infinities and NaN.
// Certified sums of rows and columns equal what exact words give for each op.
template <class T>
void compare_axes(const std::string& ops, const std::string& target,
                  std::initializer_list<std::size_t> lengths) {
  Random r(7);
  constexpr DType t = sizeof(T) == 4 ? DType::f32 : DType::f64;
  for (const std::size_t n : lengths) {
    const std::size_t rows = 3 * kinds_of_rows - 1;
    std::vector<T> x(rows * n), y(rows * n), across(rows * n), across_y(rows * n);
    for (std::size_t k = 0; k < rows; ++k) {
      fill_row(r, static_cast<int>(k % kinds_of_rows), std::span(x).subspan(k * n, n),
               std::span(y).subspan(k * n, n));
      for (std::size_t i = 0; i < n; ++i) {
        across[i * rows + k] = x[k * n + i];
        across_y[i * rows + k] = y[k * n + i];
      }
    }
    const Dims shape(rows, n), turned(n, rows);
    const Options along{.axes = {1}, .target = target}, down{.axes = {0}, .target = target};
    const Answers a = fold(ops, ArrayRef(x.data(), t, shape), ArrayRef(y.data(), t, shape), along);
    const Answers b =
        fold(ops, ArrayRef(across.data(), t, turned), ArrayRef(across_y.data(), t, turned), down);
    for (std::size_t k = 0; k < rows; ++k) {
      const Answers alone = fold(ops, std::span<const T>(x).subspan(k * n, n),
                                 std::span<const T>(y).subspan(k * n, n));
      for (std::size_t op = 0; op < alone.list.size(); ++op) {
        const Answer& expected = alone.list[op];
        ASSERT_EQ(a.list[op][k], expected.only()) << expected.op << k % kinds_of_rows << " " << n;
        ASSERT_EQ(b.list[op][k], expected.only()) << expected.op << k % kinds_of_rows << " " << n;
      }
    }
  }
}

TEST_P(EveryPair, RoundsHardRowsAndColumnsAsItDoesEachAlone) {
  compare_axes<float>(without_states, GetParam(), {1, 2, 64, 1500});
  compare_axes<double>(without_states, GetParam(), {1, 2, 64, 1500});
}

// If one op of a request is undecided, all are computed again.
TEST_P(EveryPair, RoundsThemOpByOp) {
  for (const char* op : {"mse", "mae", "average", "cov", "total_var", "total_std", "corr", "slope",
                         "intercept", "cosine"}) {
    compare_axes<float>(op, GetParam(), {1, 2, 64});
    compare_axes<double>(op, GetParam(), {1, 2, 64});
  }
}

std::vector<double> numbers(Random& r, std::size_t n, double scale) {
  std::vector<double> x(n);
  for (double& v : x) v = (static_cast<double>(r() % 2000001) - 1000000) * scale;
  return x;
}

TEST(Pair, OfEqualArraysHasNoDistanceAndIsCorrelated) {
  Random r(3);
  for (const double scale : {1.0, 1e-310, 1e300, 0.1}) {
    const std::vector<double> x = numbers(r, 1000, scale);
    EXPECT_EQ(bit_cast<uint64_t>(mse(x, x)), 0u);
    EXPECT_EQ(bit_cast<uint64_t>(distance(x, x)), 0u);
    EXPECT_EQ(bit_cast<uint64_t>(mae(x, x)), 0u);
    EXPECT_EQ(max_abs_diff(x, x), 0);
    EXPECT_EQ(corr(x, x), 1);
    EXPECT_EQ(cosine(x, x), 1);
    EXPECT_EQ(slope(x, x), 1);
    EXPECT_EQ(bit_cast<uint64_t>(intercept(x, x)), 0u);
    EXPECT_EQ(cov(x, x, {.ddof = 1}), var(x, {.ddof = 1}));
    std::vector<double> y = x;
    for (double& v : y) v = -v;
    EXPECT_EQ(corr(x, y), -1);
    EXPECT_EQ(cosine(x, y), -1);
  }
}

// They differ by about 2^-52 of either: Qx + Qy - 2P cancels 100 bits of values beyond f64.
TEST(Pair, OfNearlyEqualArraysAt1e300IsExact) {
  const std::size_t n = 1000;
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = 1e300 + static_cast<double>(i) * 0x1p950;
    y[i] = std::nextafter(x[i], i % 4 == 0 ? 0 : INFINITY);
  }
  const double ulp = y[1] - x[1];
  EXPECT_EQ(mae(x, y), ulp);
  EXPECT_EQ(max_abs_diff(x, y), ulp);
  EXPECT_EQ(rmse(x, y), ulp);
  EXPECT_EQ(mse(x, y), INFINITY);
  EXPECT_EQ(distance(x, y), std::sqrt(static_cast<double>(n)) * ulp);
  EXPECT_EQ(slope(x, x), 1);
  EXPECT_LE(corr(x, y), 1);
  EXPECT_EQ(corr(x, y), corr(y, x));
}

TEST(Pair, IsSymmetricBitByBit) {
  Random r(4);
  for (int round = 0; round < test::scaled(50); ++round) {
    const std::vector<double> x = numbers(r, 1 + r() % 500, 1.0 / 3),
                              y = numbers(r, x.size(), 1e-5);
    const char* ops = "mse,rmse,distance,mae,max_abs_diff,cov,corr,cosine";
    const Answers a = fold(ops, x, y), b = fold(ops, y, x);
    for (const Answer& answer : a.list) EXPECT_EQ(answer[0], b[answer.op][0]) << answer.op;
  }
}

TEST(Pair, NeverLeavesTheUnitInterval) {
  Random r(5);
  for (int round = 0; round < test::scaled(300); ++round) {
    std::vector<float> x(2 + r() % 20), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(r() % 1000) * 1e-3f;
      y[i] = 3 * x[i] + 1;  // nearly on a line
    }
    for (const float v : {corr(x, y), cosine(x, y)}) EXPECT_LE(std::abs(v), 1);
  }
}

TEST(Pair, OverflowsOnlyWhereTheAnswerDoes) {
  const double most = std::numeric_limits<double>::max();
  const std::vector<double> x{most, most}, y{-most, 0};
  EXPECT_EQ(max_abs_diff(x, y), INFINITY);
  EXPECT_EQ(mae(std::vector{most, most}, std::vector{0.0, 0.0}), most);
  for (const double k : {0x1p700, 0x1p-700}) {
    EXPECT_EQ(distance(std::vector{3 * k, 0.0}, std::vector{0.0, 4 * k}), 5 * k);
  }
}

TEST(Pair, LeavesStatesThatMergeToTheWhole) {
  Random r(6);
  std::vector<double> x = numbers(r, 3000, 0.7), y = numbers(r, 3000, 0.3);
  x[5] = NAN;
  y[7] = -INFINITY;
  const std::span a(x), b(y);
  for (const std::string& ops : {std::string("corr"), std::string("mae,max_abs_diff"), all_ops}) {
    for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit}) {
      const Options o{.nan = nan};
      State all = gather(ops, a.subspan(0, 1000), b.subspan(0, 1000), o);
      State rest = gather(ops, a.subspan(1000), b.subspan(1000), o);
      rest.merge(all);
      EXPECT_EQ(rest, gather(ops, x, y, o)) << ops;
      EXPECT_EQ(State::load(rest.save()), rest) << ops;
      for (const Answer& answer : fold(ops, x, y, o).list) {
        EXPECT_EQ(rest.answer(answer.op), answer[0]) << answer.op;
      }
    }
  }
}

TEST(Pair, OfNothing) {
  const std::vector<float> x;
  const Answers a = fold(all_ops, x, x);
  EXPECT_EQ(a.get<float>("distance"), 0);
  EXPECT_EQ(a["max_abs_diff"][0].status, Status::empty_input);
  for (const char* op : {"mse", "mae", "cov", "total_std", "corr", "slope", "average"}) {
    EXPECT_TRUE(std::isnan(a.get<float>(op))) << op;
  }
}

TEST(Pair, IsRefusedWhereTheArraysDoNotFit) {
  const std::vector<float> x(3), y(4);
  const std::vector<double> z(3);
  test::expect_error(ErrorCode::shape_mismatch, {"(3,)", "(4,)"}, [&] { fold("corr", x, y); });
  test::expect_error(ErrorCode::type_mismatch, {"f32", "f64"}, [&] { fold("corr", x, z); });
  test::expect_error(ErrorCode::bad_option, {"corr", "two arrays"}, [&] { fold("corr", x); });
  test::expect_error(ErrorCode::bad_option, {"sum", "one array"}, [&] { fold("sum,corr", x, x); });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
