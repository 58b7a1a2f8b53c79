// A segment's answer is that of its slice alone, for any mix of lengths, op, type and number of
// threads.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check.hpp"
#include "expect_error.hpp"
#include "onefold/fold.hpp"
#include "onefold/onefold.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

// Lengths of a kind, with sum n: ones, equal ones, Zipf's, one among many of 0 and 1, at random.
std::vector<int64_t> make_offsets(Random& r, std::size_t n) {
  std::vector<int64_t> offsets{0};
  const auto kind = r() % 6;
  const std::size_t equal = 1 + r() % 20, longest = r() % (n + 1);
  bool had = false;
  while (static_cast<std::size_t>(offsets.back()) < n) {
    const std::size_t left = n - static_cast<std::size_t>(offsets.back());
    std::size_t length = kind == 0   ? 1
                         : kind == 1 ? equal
                         : kind == 2 ? test::pick_log(r, 1, left)
                         : kind == 3 ? r() % 2
                         : kind == 4 ? r() % 40
                                     : test::pick_log(r, 1, 700) - 1;
    if (kind == 3 && !had && r() % 50 == 0) {
      had = true;
      length = longest;
    }
    offsets.push_back(offsets.back() + static_cast<int64_t>(std::min(length, left)));
  }
  if (r() % 3 == 0) offsets.push_back(offsets.back());  // an empty one
  if (r() % 4 == 0) offsets.erase(offsets.begin());     // nothing begins at 0
  if (offsets.size() > 1 && r() % 4 == 0) offsets.pop_back();
  return offsets;
}

TEST(Segments, AreTheFoldsOfTheirSlices) {
  Random r(1);
  const std::string_view requests[] = {"sum", "mean,var", "argmax,min", "count", "norm2,any", ""};
  for (int round = 0; round < test::scaled(300) && !HasFatalFailure(); ++round) {
    const auto t = static_cast<DType>(r() % dtype_count);
    const auto names = test::generators(t);
    const std::string_view g = names[r() % names.size()];
    const std::size_t n = test::pick_log(r, 1, 5000);
    const uint64_t seed = r() % 1000;
    const Data x = test::generate(g, t, n, seed);
    const std::vector<int64_t> offsets = make_offsets(r, n);
    std::string ops(requests[r() % std::size(requests)]);
    if (ops.empty()) ops = test::ops_of_one_array(t);
    Options o = test::some_options(r, 5);
    o.result.reset();
    o.threads = static_cast<int>(r() % 3);
    const auto targets = cpu_targets();
    o.target = targets[r() % targets.size()];
    const Answers got =
        fold_segments(ops, ArrayRef(x.data(), t, {static_cast<int64_t>(n)}), offsets, o);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const auto from = static_cast<std::size_t>(offsets[s]);
      const oracle::Fold expected(oracle::type(name_of(t)), x.at(from),
                                  static_cast<std::size_t>(offsets[s + 1]) - from);
      ASSERT_EQ(got.list[0].size(), offsets.size() - 1);
      ASSERT_EQ(test::compare(got, s, expected, o), "")
          << test::describe(g, t, n, seed) << test::describe(o) << " segment " << s << " from "
          << offsets[s] << " to " << offsets[s + 1];
    }
  }
}

TEST(Segments, OfManyAxesAndUnderMasksAreFoldsAlongTheFirst) {
  Random r(2);
  for (int round = 0; round < test::scaled(60) && !HasFatalFailure(); ++round) {
    const auto rows = static_cast<int64_t>(test::pick_log(r, 1, 100));
    const auto columns = static_cast<int64_t>(1 + r() % 9);
    std::vector<float> x(static_cast<std::size_t>(rows * columns));
    for (float& v : x) v = static_cast<float>(r() % 1000) / 7;
    std::vector<Bool8> mask(x.size());
    for (Bool8& m : mask) m.byte = r() % 3 != 0;
    const std::vector<int64_t> offsets = make_offsets(r, static_cast<std::size_t>(rows));
    const ArrayRef array(x.data(), f32, {rows, columns});
    const ArrayRef where(mask.data(), boolean, {rows, columns});
    Options o;
    if (r() % 2 == 0) o.where = where;
    o.empty_nan = true;
    const Answers got = fold_segments("sum,max,var", array, offsets, o);
    ASSERT_EQ(got.list[0].shape, Dims(offsets.size() - 1, columns));
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const auto from = static_cast<std::size_t>(offsets[s] * columns);
      const int64_t n = offsets[s + 1] - offsets[s];
      Options own = o;
      own.axes = {0};
      if (o.where) own.where = ArrayRef(mask.data() + from, boolean, {n, columns});
      const Answers alone = fold("sum,max,var", ArrayRef(x.data() + from, f32, {n, columns}), own);
      for (const Answer& a : alone.list) {
        for (Size c = 0; c < a.size(); ++c) {
          ASSERT_EQ(got[a.op][s * a.size() + c], a[c]) << a.op << " " << s << " " << c;
        }
      }
    }
  }
}

TEST(Segments, OfElementsWithWeightsAreTheFoldsOfTheirSlices) {
  Random r(7);
  const std::string_view of_one[] = {"mean", "average", "var,std", "mean,var"},
                         of_two[] = {"mse,mae", "corr,cov", "slope,intercept,rmse"},
                         repeated[] = {"sum,mean", "min,argmax,count", "var,norm2", "ptp"};
  for (int round = 0; round < test::scaled(150) && !HasFatalFailure(); ++round) {
    const DType types[] = {f32, f64, i16, bf16};
    const DType t = types[r() % 4];
    const auto names = test::generators(t);
    const Size columns = 1 + r() % 3, rows = test::pick_log(r, 1, round == 0 ? 1'500'000 : 2000);
    const auto make = [&] {
      return test::generate(names[r() % names.size()], t, rows * columns, r());
    };
    const Data x = make(), y = make(), w = make();
    std::vector<uint16_t> counts(rows * columns);
    for (uint16_t& c : counts) c = static_cast<uint16_t>(r() % 2 == 0 ? 0 : r() % 300);
    std::vector<Bool8> mask(rows * columns);
    for (Bool8& m : mask) m.byte = r() % 4 != 0;
    const auto part = [&](const void* all, DType of, int64_t begin, int64_t end) {
      const auto* const from = static_cast<const std::byte*>(all);
      return ArrayRef(from + static_cast<Size>(begin) * columns * bytes_of(of), of,
                      {end - begin, static_cast<int64_t>(columns)});
    };
    const bool masked = r() % 3 == 0, repeats = r() % 3 == 0, two = !repeats && r() % 2 == 0;
    const auto options = [&](int64_t begin, int64_t end) {
      Options o{.nan = round % 2 == 0 ? NanPolicy::omit : NanPolicy::propagate,
                .threads = round % 3};
      if (masked) o.where = part(mask.data(), boolean, begin, end);
      if (repeats) o.fweights = part(counts.data(), u16, begin, end);
      if (!repeats) o.weights = part(w.data(), t, begin, end);
      return o;
    };
    const std::string_view ops = repeats ? repeated[r() % 4]
                                 : two   ? of_two[r() % 3]
                                         : of_one[r() % 4];
    const std::vector<int64_t> offsets = make_offsets(r, rows);
    const auto all = static_cast<int64_t>(rows);
    const ArrayRef a = part(x.data(), t, 0, all), b = part(y.data(), t, 0, all);
    const Answers got =
        two ? fold({.ops = ops, .x = a, .y = b, .options = options(0, all), .segments = offsets})
            : fold_segments(ops, a, offsets, options(0, all));
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const int64_t begin = offsets[s], end = offsets[s + 1];
      Options own = options(begin, end);
      own.axes = {0};
      const ArrayRef u = part(x.data(), t, begin, end), v = part(y.data(), t, begin, end);
      const Answers alone = two ? fold(ops, u, v, own) : fold(ops, u, own);
      for (const Answer& one : alone.list) {
        for (Size c = 0; c < columns; ++c) {
          ASSERT_EQ(got[one.op][s * columns + c], one[c])
              << ops << " of " << name_of(t) << ", " << begin << " to " << end << " column " << c;
        }
      }
    }
  }
  const std::vector<float> x{1, 2, 3};
  const std::vector<int64_t> offsets{0, 2, 3};
  test::expect_error(ErrorCode::bad_option, {"sum: .weights applies only to average"},
                     [&] { fold_segments("sum", x, offsets, {.weights = x}); });
  const std::vector<int8_t> counts{1, 2, -3};
  test::expect_error(ErrorCode::bad_option, {"sum: .fweights of element 2 is -3"},
                     [&] { fold_segments("sum", x, offsets, {.fweights = counts}); });
  // Elements in no segment are not read.
  const std::vector<int64_t> inner{0, 2}, last{1, 3};
  EXPECT_EQ(fold_segments("sum", x, inner, {.fweights = counts})["sum"][0].as<float>(), 5);
  test::expect_error(ErrorCode::bad_option, {"sum: .fweights of element 2 is -3"},
                     [&] { fold_segments("sum", x, last, {.fweights = counts}); });
}

TEST(Segments, ThatAreEmptyTakeAMaskOfBitsThatGoesBackwards) {
  const std::vector<double> x{1, 2, 4};
  const std::vector<uint8_t> counts{3, 1, 2};
  const uint8_t bits[] = {0b011};  // of element 2, 1, 0
  Mask mask = Mask::of_bits(bits, 2, {3});
  mask.array.strides = Dims(-1);
  Options o{.fweights = counts};
  o.where = mask;
  const Answers got = fold_segments("sum", x, std::vector<int64_t>{0, 3, 3}, o);
  EXPECT_EQ(got["sum"][0].as<double>(), 2 + 2 * 4);
  EXPECT_EQ(got["sum"][1].as<double>(), 0);
}

TEST(Segments, OfTwoArraysAreTheFoldsOfTheirSlices) {
  Random r(5);
  const std::string_view ops[] = {"mse,mae", "cov,corr", "dot", "average,max_abs_diff"};
  for (int round = 0; round < test::scaled(100) && !HasFatalFailure(); ++round) {
    const DType types[] = {f32, f64, i16, bf16};
    const DType t = types[r() % 4];
    const auto names = test::generators(t);
    const std::size_t n = test::pick_log(r, 1, 3000);
    const Data x = test::generate(names[r() % names.size()], t, n, r()),
               y = test::generate(names[r() % names.size()], t, n, r());
    const std::vector<int64_t> offsets = make_offsets(r, n);
    const std::string_view op = ops[r() % std::size(ops)];
    const bool reversed = r() % 4 == 0;  // the second array
    const auto bytes = static_cast<int64_t>(bytes_of(t));
    const auto line = [&](const Data& data, std::size_t from, int64_t length, bool backwards) {
      const std::size_t first = backwards ? n - 1 - from : from;
      return ArrayRef(data.at(length == 0 ? 0 : first), t, Dims(length),
                      Dims(backwards ? -bytes : bytes));
    };
    const auto all = static_cast<int64_t>(n);
    Options o;
    o.empty_nan = true;
    const Answers got = fold({.ops = op,
                              .x = line(x, 0, all, false),
                              .y = line(y, 0, all, reversed),
                              .options = o,
                              .segments = offsets});
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const auto from = static_cast<std::size_t>(offsets[s]);
      const int64_t length = offsets[s + 1] - offsets[s];
      const Answers alone =
          fold(op, line(x, from, length, false), line(y, from, length, reversed), o);
      for (const Answer& a : alone.list) ASSERT_EQ(got[a.op][s], a[0]) << a.op << " " << s;
    }
  }
}

TEST(Segments, OfAverageTakeWeights) {
  const std::vector<double> x{1, 2, 3, 4}, w{1, 1, 1, 3};
  const Answers got = fold_segments("average", x, std::vector<int64_t>{0, 2, 4}, {.weights = w});
  EXPECT_EQ(got["average"][0].as<double>(), 1.5);
  EXPECT_EQ(got["average"][1].as<double>(), 3.75);
}

TEST(Segments, AreTheSameForAnyNumberOfThreads) {
  Random r(3);
  std::vector<double> x(3000000);
  for (double& v : x) v = static_cast<double>(r() % 1000000) / 3;
  std::vector<int32_t> offsets{0, 1, 1, 2000000};
  while (offsets.back() < 2900000) offsets.push_back(offsets.back() + static_cast<int>(r() % 30));
  const Answers one = fold_segments("sum,argmax", x, offsets, {.threads = 1}),
                four = fold_segments("sum,argmax", x, offsets, {.threads = 4});
  EXPECT_EQ(one["sum"].data, four["sum"].data);
  EXPECT_EQ(one["argmax"].data, four["argmax"].data);
  EXPECT_EQ(one["argmax"].status, four["argmax"].status);
  EXPECT_EQ(one["argmax"][1].status, Status::empty_input);
  EXPECT_EQ(one["sum"][2].as<double>(), sum(std::span(x).subspan(1, 1999999)));
}

// Of guarded memory nothing outside is touched: `make test-asan` runs this.
TEST(Segments, RefuseBadOffsetsBeforeAnyWork) {
  const std::vector<double> x(10);
  const auto expect = [&](const std::vector<int64_t>& offsets,
                          std::initializer_list<const char*> s) {
    test::expect_error(ErrorCode::bad_option, s, [&] { fold_segments("sum", x, offsets); });
  };
  expect({0, 5, 4}, {"offset 2", "4", "5..10"});
  expect({0, 11}, {"offset 1", "11", "0..10"});
  expect({-1, 5}, {"offset 0", "-1"});
  expect({0, INT64_MAX}, {"offset 1"});
  test::expect_error(ErrorCode::shape_mismatch, {"offsets"},
                     [&] { fold_segments("sum", x, std::vector<int64_t>()); });
  test::expect_error(ErrorCode::type_mismatch, {"f64", "i32"}, [&] {
    fold_segments("sum", x, std::vector<double>{0, 1});
  });
  test::expect_error(ErrorCode::bad_option, {".axes"}, [&] {
    fold_segments("sum", x, std::vector<int64_t>{0, 1}, {.axes = {0}});
  });
  test::expect_error(ErrorCode::bad_option, {"dot", "two arrays"}, [&] {
    fold_segments("dot", x, std::vector<int64_t>{0, 1});
  });
  EXPECT_EQ(fold_segments("sum", x, std::vector<int64_t>{3})["sum"].size(), 0u);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
