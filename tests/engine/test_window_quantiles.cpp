// A quantile of a window is that of its elements alone, for any rule, type and number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "expect_error.hpp"
#include "generate.hpp"
#include "onefold/engine/quantile/array_quantiles.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::expect_error;
using test::Random;

std::vector<Quantile> quantiles_of(std::initializer_list<const char*> words,
                                   const std::string& method) {
  std::vector<Quantile> quantiles;
  for (const char* word : words) {
    quantiles.push_back(read_quantile(word));
    quantiles.back().method = quantile_method(method);
  }
  return quantiles;
}

// Compares all windows with the quantiles of their elements alone.
void check(const ArrayRef& x, const Windows& w, const std::vector<int64_t>& begins,
           const std::vector<int64_t>& ends, const std::vector<Quantile>& quantiles,
           Options options) {
  const Answers got = quantiles_of_windows("quantile", x, w, quantiles, options);
  const Size every = 1 + begins.size() / 200;
  for (Size i = 0; i < begins.size(); i += every) {
    ArrayRef part = x;
    part.shape[0] = ends[i] - begins[i];
    part.data = static_cast<const std::byte*>(x.data) + begins[i] * x.strides[0];
    Options own = options;
    if (options.where) {
      ArrayRef mask = options.where->array;
      mask.shape[0] = part.shape[0];
      mask.data = static_cast<const std::byte*>(mask.data) + begins[i] * mask.strides[0];
      own.where = Mask(mask);
    }
    const Answers alone = quantiles_of_array("quantile", quantiles, part, own);
    for (Size k = 0; k < quantiles.size(); ++k) {
      ASSERT_EQ(got.list[k][i].bits, alone.list[k][0].bits)
          << name_of(x.dtype) << " window " << i << " from " << begins[i] << " to " << ends[i]
          << " q " << quantiles[k].name;
      ASSERT_EQ(got.list[k][i].status, alone.list[k][0].status);
    }
  }
}

TEST(WindowsQuantiles, AreThoseOfTheirElements) {
  Random r(1);
  const std::string methods[] = {"linear", "lower", "higher", "nearest", "midpoint"};
  for (int round = 0; round < test::scaled(150) && !HasFatalFailure(); ++round) {
    const auto t = static_cast<DType>(r() % dtype_count);
    const auto names = test::generators(t);
    const Size n = test::pick_log(r, 1, 3000);
    const Data x = test::generate(names[r() % names.size()], t, n, r() % 1000);
    const ArrayRef array(x.data(), t, {static_cast<int64_t>(n)});
    Options o{.threads = static_cast<int>(r() % 3)};
    o.nan = r() % 2 == 0 ? NanPolicy::omit : NanPolicy::propagate;
    std::vector<Bool8> mask(n);
    for (Bool8& m : mask) m.byte = r() % 4 != 0;
    if (r() % 3 == 0) o.where = ArrayRef(mask.data(), boolean, {static_cast<int64_t>(n)});
    Windows w{.width = r() % 4 == 0 ? 0 : test::pick_log(r, 1, 2000),
              .ahead = r() % 2 == 0 ? 0 : static_cast<int64_t>(r() % 50) - 25,
              .step = r() % 3 == 0 ? 1 + r() % 90 : 1};
    std::vector<int64_t> begins, ends;
    for (Size i = 0; i < n; i += w.step) {
      const int64_t end = static_cast<int64_t>(i) + w.ahead + 1;
      const int64_t begin = w.width == 0 ? 0 : end - static_cast<int64_t>(w.width);
      begins.push_back(std::clamp<int64_t>(begin, 0, static_cast<int64_t>(n)));
      ends.push_back(std::clamp<int64_t>(end, begins.back(), static_cast<int64_t>(n)));
    }
    const bool falls = r() % 4 == 0;
    if (falls) {
      std::vector<int64_t>& turned = r() % 2 == 0 ? begins : ends;
      std::reverse(turned.begin(), turned.end());
      for (Size i = 0; i < begins.size(); ++i) begins[i] = std::min(begins[i], ends[i]);
    }
    if (falls || w.width % 3 == 0) w = {.begin = ArrayRef(begins), .end = ArrayRef(ends)};
    check(array, w, begins, ends,
          quantiles_of({"0.5", "0", "0.25", "0.3333333333333333333", "1"}, methods[r() % 5]), o);
  }
}

TEST(WindowsQuantiles, OfWideWindowsOfColumnsAreThoseOfTheirElements) {
  constexpr int64_t rows = 20'000, columns = 3;
  const Data x = test::generate("normal", f64, rows * columns, 3);
  const ArrayRef matrix(x.data(), f64, {rows, columns});
  const auto quantiles = quantiles_of({"0.5", "0.9"}, "linear");
  const Windows w{.width = 6000};
  const Options o{.axes = {0}};
  const Answers got = quantiles_of_windows("quantile", matrix, w, quantiles, o);
  ASSERT_EQ(got.list[0].shape, matrix.shape);
  for (const int64_t row : {0, 1, 777, 5999, 6000, 12'345, 19'999}) {
    ArrayRef part = matrix;
    const int64_t begin = std::max<int64_t>(0, row - 5999);
    part.shape[0] = row + 1 - begin;
    part.data = x.at(static_cast<Size>(begin * columns));
    const Answers alone = quantiles_of_array("quantile", quantiles, part, o);
    for (Size c = 0; c < columns; ++c) {
      for (Size k = 0; k < 2; ++k) {
        EXPECT_EQ(got.list[k][static_cast<Size>(row) * columns + c].bits, alone.list[k][c].bits);
      }
    }
  }
  Options several = o;
  for (const int threads : {1, 2, 7}) {
    several.threads = threads;
    EXPECT_EQ(quantiles_of_windows("quantile", matrix, w, quantiles, several).list[1].data,
              got.list[1].data);
  }
}

TEST(WindowsQuantiles, OfTooFewElementsAreNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x = {1, 2, nan, 4, 5};
  const Windows w{.width = 2, .least = 2};
  const auto median = quantiles_of({"0.5"}, "linear");
  const auto of = [&](NanPolicy nan_policy) {
    return quantiles_of_windows("median", x, w, median, {.nan = nan_policy}).list[0];
  };
  const Answer omitted = of(NanPolicy::omit);
  for (const Size i : {0, 2, 3}) EXPECT_TRUE(std::isnan(omitted[i].as<double>()));
  EXPECT_EQ(omitted[1].as<double>(), 1.5);
  EXPECT_EQ(omitted[4].as<double>(), 4.5);
  const Answer raised = of(NanPolicy::raise);
  EXPECT_EQ(raised[0].status, Status::ok);
  EXPECT_EQ(raised[1].status, Status::ok);
  EXPECT_EQ(raised[2].status, Status::nan_found);
}

TEST(WindowsQuantiles, GoToMemoryInTheirType) {
  const std::vector<int64_t> x = {7, 9'007'199'254'740'993, 5, 6};
  const Windows w{.width = 2};
  const auto quantiles = quantiles_of({"0", "1"}, "lower");
  std::vector<double> least(4), most(4);
  const OutputRef floats[] = {least, most};
  quantile_windows_into(floats, x, w, quantiles);
  EXPECT_EQ(least, (std::vector<double>{7, 7, 5, 5}));
  EXPECT_EQ(most, (std::vector<double>{7, 9'007'199'254'740'992, 9'007'199'254'740'992, 6}));
  std::vector<int64_t> whole(4), greatest(4);
  const OutputRef integers[] = {whole, greatest};
  quantile_windows_into(integers, x, w, quantiles, {.result = i64});
  EXPECT_EQ(greatest, (std::vector<int64_t>{7, x[1], x[1], 6}));
  quantile_into({&integers[1], 1}, ArrayRef(x.data(), i64, {4, 1}), {quantiles[0]},
                {.axes = {1}, .result = i64});
  EXPECT_EQ(greatest, x);
  const auto wrong = [&] { quantile_windows_into(integers, x, w, quantiles); };
  expect_error(ErrorCode::type_mismatch, {"f64"}, wrong);
}

TEST(WindowsQuantiles, ThatAreWrongAreRefused) {
  const std::vector<double> x = {1, 2, 3, 4};
  const auto median = quantiles_of({"0.5"}, "linear");
  expect_error(ErrorCode::bad_option, {"median: the .step between windows is 0"},
               [&] { quantiles_of_windows("median", x, {.step = 0}, median, {}); });
  const ArrayRef matrix(x.data(), f64, {2, 2});
  expect_error(ErrorCode::bad_axis, {"windows need one axis"},
               [&] { quantiles_of_windows("median", matrix, {.width = 2}, median, {}); });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
