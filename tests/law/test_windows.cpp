// A window's answer is that of its elements folded alone, for any rule, op, type, number of threads
// and instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "check.hpp"
#include "expect_error.hpp"
#include "onefold/fold.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::expect_error;
using test::Random;

struct Border {
  std::size_t begin, end;
};

// The windows of a rule, by its definition.
std::vector<Border> borders_of(const Windows& w, std::size_t n) {
  std::vector<Border> borders;
  for (std::size_t i = 0; i < n; i += w.step) {
    const auto within = [&](int64_t at) {
      return static_cast<std::size_t>(std::clamp<int64_t>(at, 0, static_cast<int64_t>(n)));
    };
    const int64_t end = static_cast<int64_t>(i) + w.ahead + 1;
    borders.push_back(
        {w.width == 0 ? 0 : within(end - static_cast<int64_t>(w.width)), within(end)});
  }
  return borders;
}

// Begins and ends that do not fall: neighbours, overlapping, apart, empty.
std::vector<Border> some_borders(Random& r, std::size_t n) {
  std::vector<Border> borders;
  const std::size_t stride = 1 + r() % 4, longest = test::pick_log(r, 1, n);
  std::size_t begin = 0, end = 0;
  for (std::size_t k = r() % (n + 1); k > 0; --k) {
    begin = std::min(n, begin + r() % (2 * stride));
    if (r() % 100 == 0) begin = std::min(n, begin + r() % 500);
    end = std::max(end, std::min(n, begin + r() % (longest + 1)));
    borders.push_back({begin, end});
  }
  return borders;
}

struct Listed {
  std::vector<int64_t> begins, ends;
  explicit Listed(const std::vector<Border>& borders) {
    for (const Border& b : borders) {
      begins.push_back(static_cast<int64_t>(b.begin));
      ends.push_back(static_cast<int64_t>(b.end));
    }
  }
  Windows windows() const { return {.begin = ArrayRef(begins), .end = ArrayRef(ends)}; }
};

TEST(Windows, AreTheFoldsOfTheirElements) {
  Random r(1);
  const std::string_view requests[] = {"sum",   "mean",       "var,std",   "mean,var,count",
                                       "max",   "argmin,min", "sumsq,rms", "argmax,sum",
                                       "norm2", "norm1,any",  "ptp,rms",   "min,count",
                                       ""};
  for (int round = 0; round < test::scaled(600) && !HasFatalFailure(); ++round) {
    const auto t = static_cast<DType>(r() % dtype_count);
    const auto names = test::generators(t);
    const std::string_view g = names[r() % names.size()];
    const std::size_t n = test::pick_log(r, 1, 1200);
    const uint64_t seed = r() % 1000;
    const Data x = test::generate(g, t, n, seed);
    std::string ops(requests[r() % std::size(requests)]);
    if (ops.empty()) ops = test::ops_of_one_array(t);
    Options o = test::some_options(r, 5);
    o.result.reset();
    o.threads = static_cast<int>(r() % 3);
    const auto targets = cpu_targets();
    o.target = targets[r() % targets.size()];
    Windows w{.width = r() % 4 == 0 ? 0 : test::pick_log(r, 1, 400),
              .ahead = r() % 2 == 0 ? 0 : static_cast<int64_t>(r() % 50) - 25,
              .step = r() % 3 == 0 ? 1 + r() % 9 : 1};
    std::vector<Border> borders = borders_of(w, n);
    if (r() % 3 == 0) borders = some_borders(r, n);
    const Listed listed(borders);
    if (borders.size() != borders_of(w, n).size() || r() % 3 == 0) w = listed.windows();
    const bool by_rule = !w.begin.has_value();
    if (by_rule) borders = borders_of(w, n);
    const ArrayRef array(x.data(), t, {static_cast<int64_t>(n)});
    const Answers got = fold({.ops = ops, .x = array, .options = o, .windows = w});
    ASSERT_EQ(got.list[0].size(), borders.size());
    const std::size_t every = 1 + borders.size() / 150;
    for (std::size_t i = r() % every; i < borders.size(); i += every) {
      const oracle::Fold expected(oracle::type(name_of(t)), x.at(borders[i].begin),
                                  borders[i].end - borders[i].begin);
      ASSERT_EQ(test::compare(got, i, expected, o), "")
          << test::describe(g, t, n, seed) << test::describe(o) << " window " << i << " from "
          << borders[i].begin << " to " << borders[i].end << (by_rule ? " of " : " listed, not ")
          << "width " << w.width << " ahead " << w.ahead << " step " << w.step;
    }
  }
}

// Sums of integers, by which a window's answer is known.
void check_jumps(Size n, const Windows& w, const std::vector<Border>& borders) {
  std::vector<double> x(n);
  for (Size i = 0; i < n; ++i) x[i] = static_cast<double>(i % 1000) - 3;
  for (const char* ops : {"sum", "mean,var", "max,sum"}) {
    const Answers got = fold({.ops = ops, .x = x, .windows = w});
    for (Size i = 0; i < borders.size(); i += 1 + borders.size() / 40) {
      if (borders[i].begin == borders[i].end) continue;
      const ArrayRef part(x.data() + borders[i].begin, f64,
                          {static_cast<int64_t>(borders[i].end - borders[i].begin)});
      for (const Answer& alone : fold(ops, part).list) {
        ASSERT_EQ(got[alone.op][i], alone[0]) << alone.op << " window " << i << " from "
                                              << borders[i].begin << " to " << borders[i].end;
      }
    }
  }
}

TEST(Windows, ThatAreWideOrJumpAreTheFoldsOfTheirElements) {
  for (const Windows& w : {Windows{.width = 9000, .ahead = 4499, .step = 1500},
                           {.width = 3000},
                           {.width = 5000, .step = 4999},
                           {.width = 10, .step = 5000},
                           {.width = 100'000},
                           {.ahead = -3000},
                           {.step = 2500}}) {
    check_jumps(30'000, w, borders_of(w, 30'000));
  }
  std::vector<Border> borders = {{0, 5000},      {2000, 5000},     {2100, 5000},
                                 {2100, 9000},   {9000, 9000},     {9000, 9001},
                                 {9000, 29'000}, {28'000, 29'000}, {29'500, 30'000}};
  check_jumps(30'000, Listed(borders).windows(), borders);
  borders.assign(300, {17, 12'000});
  check_jumps(30'000, Listed(borders).windows(), borders);
}

TEST(Windows, ThatFallAreTheFoldsOfTheirElements) {
  Random r(3);
  constexpr std::size_t n = 20'000;
  std::vector<Border> borders;
  for (int k = 0; k < 20'000; ++k) {
    const std::size_t at = k % 7 == 0 ? r() % n : static_cast<std::size_t>(k);
    borders.push_back({at - std::min<std::size_t>(at, r() % 40), at});
  }
  check_jumps(n, Listed(borders).windows(), borders);
}

TEST(Windows, OfProductsThatUnderflowAreExact) {
  const std::vector<double> x = {1.0, 1e-200, 0x1p-27, 0x1p-27, 1e-200, 1e-300, 3.0, 1e-160};
  for (const Size width : {1, 2, 4, 0}) {
    const Windows w{.width = width};
    const std::vector<Border> borders = borders_of(w, x.size());
    for (const char* ops : {"norm2", "sumsq", "rms", "var"}) {
      const Answers got = fold({.ops = ops, .x = x, .windows = w});
      for (Size i = 0; i < x.size(); ++i) {
        const ArrayRef part(x.data() + borders[i].begin, f64,
                            {static_cast<int64_t>(borders[i].end - borders[i].begin)});
        EXPECT_EQ(got.list[0][i], fold(ops, part).list[0][0]) << ops << " " << width << " " << i;
      }
    }
  }
}

TEST(Windows, OfPairsCountThePairsThatAreLeft) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> a = {1, nan, 2, 5}, b = {nan, 1, 3, 7};
  for (const Size least : {2, 3}) {
    const Answers got = fold({.ops = "cov",
                              .x = a,
                              .y = b,
                              .options = {.nan = NanPolicy::omit},
                              .windows = Windows{.width = 4, .least = least}});
    EXPECT_EQ(std::isnan(got.list[0][3].as<double>()), least == 3);
  }
}

TEST(Windows, OfPairsAndOfMasksAndOfAnyAxisAreTheFoldsOfTheirElements) {
  Random r(2);
  for (int round = 0; round < test::scaled(80) && !HasFatalFailure(); ++round) {
    const auto rows = static_cast<int64_t>(test::pick_log(r, 1, 80));
    const auto columns = static_cast<int64_t>(test::pick_log(r, 1, 300));
    std::vector<double> x(static_cast<std::size_t>(rows * columns)), y = x;
    for (double& v : x) v = static_cast<double>(r() % 1000) / 7 + (round % 3 == 0 ? 1e6 : 0);
    for (double& v : y) v = static_cast<double>(r() % 1000) / 3;
    if (round % 4 == 1) {
      for (std::size_t k = 0; k < x.size(); k += 1 + r() % 40) {
        (r() % 2 == 0 ? x : y)[k] = r() % 4 == 0 ? -INFINITY : NAN;
      }
    }
    std::vector<Bool8> mask(x.size());
    for (Bool8& m : mask) m.byte = r() % 3 != 0;
    const int axis = static_cast<int>(r() % 2);
    const ArrayRef a(x.data(), f64, {rows, columns}), b(y.data(), f64, {rows, columns});
    Options o{.axes = {axis}, .empty_nan = true, .threads = static_cast<int>(r() % 3)};
    if (r() % 2 == 0) o.nan = NanPolicy::omit;
    if (r() % 3 == 0) o.where = ArrayRef(mask.data(), boolean, {rows, columns});
    const bool two = r() % 2 == 0;
    const Windows w{
        .width = 1 + r() % 30, .ahead = static_cast<int64_t>(r() % 5), .step = 1 + r() % 3};
    Request request{.ops = two ? "cov,corr,dot,slope,intercept" : "sum,max,var",
                    .x = a,
                    .options = o,
                    .windows = w};
    if (two) request.y = b;
    const Answers got = fold(request);
    const int64_t n = axis == 0 ? rows : columns;
    const std::vector<Border> borders = borders_of(w, static_cast<std::size_t>(n));
    Dims shape = a.shape;
    shape[axis] = static_cast<int64_t>(borders.size());
    ASSERT_EQ(got.list[0].shape, shape);
    for (std::size_t i = 0; i < borders.size(); ++i) {
      const auto part = [&](const ArrayRef& whole) {
        ArrayRef p = whole;
        p.shape[axis] = static_cast<int64_t>(borders[i].end - borders[i].begin);
        p.data = static_cast<const std::byte*>(p.data) +
                 static_cast<int64_t>(borders[i].begin) * p.strides[axis];
        return p;
      };
      Request alone = request;
      alone.windows.reset();
      alone.x = part(a);
      if (two) alone.y = part(b);
      if (o.where) alone.options.where = Mask(part(o.where->array));
      for (const Answer& e : fold(alone).list) {
        for (Size k = 0; k < e.size(); ++k) {
          const Size at = axis == 0 ? i * e.size() + k : k * borders.size() + i;
          ASSERT_EQ(got[e.op][at], e[k])
              << e.op << " window " << i << " line " << k << " axis " << axis;
        }
      }
    }
  }
}

TEST(Windows, OfAnyNumberOfThreadsAreTheSame) {
  const Data x = test::generate("normal", f64, 150'000, 3);
  const ArrayRef array(x.data(), f64, {150'000});
  const Windows rules[] = {{}, {.width = 1000}, {.width = 50, .ahead = 24, .least = 50}};
  for (const Windows& w : rules) {
    for (const char* ops : {"mean,argmax", "sum", "kurtosis", "var,min"}) {
      const auto folded = [&](int threads) {
        return fold({.ops = ops, .x = array, .options = {.threads = threads}, .windows = w})
            .list[0];
      };
      const Answer one = folded(1);
      for (const int threads : {2, 3, 8}) {
        const Answer several = folded(threads);
        EXPECT_EQ(one.data, several.data) << ops << " " << threads;
        EXPECT_EQ(one.status, several.status) << ops << " " << threads;
      }
    }
  }
}

TEST(Windows, OfTooFewElementsHaveNoAnswer) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x = {1, 2, nan, 4, 5};
  const std::vector<int64_t> k = {1, 2, 3};
  const Windows w{.width = 2, .least = 2};
  const Answers a =
      fold({.ops = "sum,count", .x = x, .options = {.nan = NanPolicy::omit}, .windows = w});
  for (const Size i : {0, 2, 3}) {
    EXPECT_TRUE(std::isnan(a["sum"][i].as<double>()));
    EXPECT_EQ(a["count"][i].status, Status::too_few);
  }
  EXPECT_EQ(a["sum"][1].as<double>(), 3);
  EXPECT_EQ(a["sum"][4].as<double>(), 9);
  const Answers b = fold({.ops = "sum,max,mean", .x = k, .windows = w});
  EXPECT_EQ(b["sum"][0].status, Status::too_few);
  EXPECT_EQ(b["max"][0].status, Status::too_few);
  EXPECT_TRUE(std::isnan(b["mean"][0].as<double>()));
  expect_error(ErrorCode::empty_input, {"sum[0]", "fewer elements"},
               [&] { b["sum"][0].as<int64_t>("sum[0]"); });
}

TEST(Windows, ThatAreWrongAreRefused) {
  const std::vector<double> x = {1, 2, 3, 4};
  const std::vector<int64_t> up = {0, 1, 2}, down = {2, 1, 3}, far = {1, 2, 5}, few = {1, 2},
                             up_by_one = {1, 2, 3}, below = {-1, 0, 1};
  const auto refused = [&](ErrorCode code, const char* what, const Windows& w, Options o = {}) {
    expect_error(code, {what}, [&] { fold({.ops = "sum", .x = x, .options = o, .windows = w}); });
  };
  const auto listed = [](const std::vector<int64_t>& b, const std::vector<int64_t>& e) {
    return Windows{.begin = ArrayRef(b), .end = ArrayRef(e)};
  };
  using enum ErrorCode;
  refused(bad_option, "end[2] is 5; it must be 0..4", listed(up, far));
  refused(bad_option, "begin[0] is 2; it must be 0..1", listed(down, up_by_one));
  refused(bad_option, "begin[0] is -1; it must be 0..2", listed(below, down));
  refused(shape_mismatch, "begin has 3 elements and end has 2", listed(up, few));
  refused(bad_option, "one is missing", {.begin = ArrayRef(up)});
  refused(bad_option, "leave one kind out",
          {.width = 3, .begin = ArrayRef(up), .end = ArrayRef(far)});
  refused(bad_option, "the .step between windows is 0", {.step = 0});
  refused(bad_option, ".keepdims is not supported", {}, {.keepdims = true});
  refused(bad_axis, "windows need one axis, but 0 axes of shape (4,)", {}, {.axes = Axes::none()});
  expect_error(bad_option, {".windows cannot be gathered"},
               [&] { gather({.ops = "sum", .x = x, .windows = Windows{}}); });
  double out[4];
  const int64_t apart = 8;
  expect_error(bad_option, {"windows must be in C order"}, [&] {
    fold({.ops = "sum", .x = x, .windows = Windows{}}, {{OutputRef(out, f64, {4}, Dims(apart))}});
  });
  fold({.ops = "sum", .x = x, .windows = Windows{}}, {{OutputRef(out, f64, {4})}});
  EXPECT_EQ(std::vector(out, out + 4), (std::vector<double>{1, 3, 6, 10}));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
