// Windows and scans of numbers whose magnitudes change, or which lie far from 0: each answer is
// that of the window folded alone.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "onefold/fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

// What is far below the first elements decides how their sum is rounded.
TEST(Magnitudes, OfScansThatJumpKeepWhatWordsDoNot) {
  std::vector<double> x(12'000, 0x1p-150);
  std::ranges::copy(std::array{1.0, 0x1p-53}, x.begin());
  for (const Size step : {1, 700, 2100, 5000}) {
    const Answers got = fold({.ops = "sum", .x = x, .windows = Windows{.step = step}});
    for (Size i = 2; i * step < x.size(); ++i) {
      EXPECT_EQ(got.list[0].values<double>()[i], 1 + 0x1p-52) << step << " " << i;
    }
  }
}

TEST(Magnitudes, OfScansGoOnBehindEachThreadsElements) {
  constexpr Size n = 40'000;
  for (const DType t : {f64, f32, f16, bf16}) {
    for (const std::string_view g : test::generators(t)) {
      const Data x = test::generate(g, t, n, 5);
      for (const auto nan : {NanPolicy::propagate, NanPolicy::omit}) {
        const auto folded = [&](int threads) {
          const ArrayRef a(x.data(), t, {n});
          const Options o{.nan = nan, .threads = threads};
          return fold({.ops = "sum,mean", .x = a, .options = o, .windows = Windows{}});
        };
        const Answers one = folded(1), several = folded(3);
        for (Size k = 0; k < 2; ++k) {
          EXPECT_EQ(one.list[k].data, several.list[k].data) << g << " " << name_of(t) << " " << k;
          EXPECT_EQ(one.list[k].status, several.list[k].status) << g << " " << k;
        }
      }
    }
  }
  // What lies far below the sum of the first part decides a tie in a later one.
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> tie(n, 0);
    std::ranges::copy(std::array{sign, sign * 0x1p-53, sign * 0x1p-1074}, tie.begin());
    tie[n / 2] = -sign * 0x1p-1074;
    const Answers a = fold({.ops = "sum", .x = tie, .options = {.threads = 4}, .windows = {{}}});
    for (Size i = 2; i < n; ++i) {
      ASSERT_EQ(a.list[0].values<double>()[i], sign * (i < n / 2 ? 1 + 0x1p-52 : 1.0)) << i;
    }
  }
}

constexpr Size length = 9000;

// Element i of some kind of data, for u of -0.3 .. 0.7. Kind 6 has NaN, which are left out.
constexpr int kinds = 8;
double element(int kind, Size i, double u) {
  switch (kind) {
    case 0:
      return i % 700 == 350 ? 1e12 * u : u;
    case 1:
      return std::ldexp(1 + u, -static_cast<int>(i % 900) / 5);
    case 2:
      return i / 600 % 2 == 0 ? 1e9 + u : 1e-9 * u;
    case 3:
      return i % 1000 < 400 ? 0.0 : i % 1000 == 700 ? 1e150 : u;
    case 4:
      return i < 128 ? 0.1 : 1e-18;
    case 5:
      return 1e6 + u;
    case 6:
      return u < -0.1 ? std::numeric_limits<double>::quiet_NaN() : u;
    default:
      return i < 7500 ? -1e9 + u : u;
  }
}

TEST(Magnitudes, ThatChangeLeaveWindowsTheFoldsOfTheirElements) {
  Random r(4);
  std::vector<double> x(length), y(length);
  for (int kind = 0; kind < kinds; ++kind) {
    for (Size i = 0; i < length; ++i) {
      const double u = static_cast<double>(r() >> 20) * 0x1p-44 - 0.3;
      x[i] = element(kind, i, u);
      y[i] = kind == 4 ? x[i] : kind == 7 ? 1e5 + u : u * u;
    }
    for (const Size width : {0, 3, 50, 400, 1500}) {
      for (const std::string_view ops :
           {"sum,var,mean", "cov,corr,slope,intercept,cosine,average", "skewness,kurtosis_pearson",
            "moment3,moment4,raw_moment3,raw_moment4"}) {
        const Options o{.nan = NanPolicy::omit};
        Request all{.ops = ops, .x = x, .options = o, .windows = Windows{.width = width}};
        if (ops[0] == 'c') all.y = ArrayRef(y);
        const Answers got = fold(all);
        for (Size i = 0; i < length; i += width == 3 || width == 50 ? 11 : 97) {
          const Size begin = width == 0 || width > i ? 0 : i + 1 - width;
          const auto part = [&](const std::vector<double>& of) {
            return ArrayRef(of.data() + begin, f64, {static_cast<int64_t>(i + 1 - begin)});
          };
          Request one{.ops = ops, .x = part(x), .options = o};
          if (all.y) one.y = part(y);
          const Answers expected = fold(one);
          for (Size k = 0; k < got.list.size(); ++k) {
            ASSERT_EQ(got.list[k][i], expected.list[k][0])
                << ops << " " << k << ", kind " << kind << ", width " << width << ", window " << i;
          }
        }
      }
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
