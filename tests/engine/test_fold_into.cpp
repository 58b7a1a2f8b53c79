// Answers in the caller's memory: the same as fold returns, or nothing is written.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "expect_error.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::expect_error;

const std::vector<double> x{1, 2, 3, 4, 5, 6};
const ArrayRef matrix(x.data(), f64, {2, 3});

TEST(FoldInto, RefusesANullOutput) {
  const std::vector<double> x(6, 1);
  EXPECT_THROW(fold_into(OutputRef(nullptr, f64, {1}), "sum", x), Error);
}

TEST(FoldInto, WritesWhatFoldGives) {
  std::vector<double> rows(2), columns(3);
  fold_into(rows, "sum", matrix, {.axes = {1}});
  EXPECT_EQ(rows, (std::vector<double>{6, 15}));
  fold_into(columns, "max", matrix, {.axes = {0}});
  EXPECT_EQ(columns, (std::vector<double>{4, 5, 6}));
  fold_into(OutputRef(columns.data(), f64, {1, 3}), "sum", matrix, {.axes = {0}, .keepdims = true});
  EXPECT_EQ(columns, (std::vector<double>{5, 7, 9}));
  fold_into(rows, "dot", matrix, matrix, {.axes = {1}});
  EXPECT_EQ(rows, (std::vector<double>{14, 77}));
  double one[1];
  fold_into(one, "sum", x);
  EXPECT_EQ(one[0], 21);
}

TEST(FoldInto, WritesSeveralOpsInTheirOrder) {
  std::vector<double> low(2), sums(2);
  std::vector<int64_t> where(2);
  const OutputRef outs[] = {sums, where, low};
  fold_into(outs, "sum,argmin,min", matrix, {.axes = {1}});
  EXPECT_EQ(sums, (std::vector<double>{6, 15}));
  EXPECT_EQ(where, (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(low, (std::vector<double>{1, 4}));
}

TEST(FoldInto, RefusesAnOutputThatDoesNotFit) {
  std::vector<double> out(2, -1);
  std::vector<float> narrow(2);
  expect_error(ErrorCode::bad_option, {"one output for each op", "2", "1"},
               [&] { fold_into(out, "sum,max", matrix, {.axes = {1}}); });
  expect_error(ErrorCode::type_mismatch, {"f64", "f32"},
               [&] { fold_into(narrow, "sum", matrix, {.axes = {1}}); });
  expect_error(ErrorCode::shape_mismatch, {"(3,)", "(2,)"},
               [&] { fold_into(out, "sum", matrix, {.axes = {0}}); });
  expect_error(ErrorCode::shape_mismatch, {}, [&] { fold_into(out, "sum", matrix); });
  EXPECT_EQ(out, (std::vector<double>{-1, -1}));
  fold_into(narrow, "sum", matrix, {.axes = {1}, .result = f32});
  EXPECT_EQ(narrow, (std::vector<float>{6, 15}));
}

TEST(FoldInto, RefusesOutputsThatShareMemory) {
  std::vector<double> a(4, -1), b(2, -1);
  Status status[3];
  const auto refused = [&](const OutputRef& one, const OutputRef& other) {
    const OutputRef outs[] = {one, other};
    expect_error(ErrorCode::bad_option, {"sum,max", "share memory"},
                 [&] { fold_into(outs, "sum,max", matrix, {.axes = {1}}); });
  };
  const auto at = [&](std::size_t k, Status* s = nullptr) {
    return OutputRef(a.data() + k, f64, {2}, s);
  };
  refused(at(0), at(0));
  refused(at(0), at(1));
  refused(at(1), at(0));
  refused(at(0, status), at(2, status + 1));
  refused(at(0), OutputRef(b.data(), f64, {2}, reinterpret_cast<Status*>(a.data() + 1)));
  EXPECT_EQ(a, std::vector<double>(4, -1));
  const OutputRef outs[] = {at(2, status), at(0)};
  fold_into(outs, "sum,max", matrix, {.axes = {1}});
  EXPECT_EQ(a, (std::vector<double>{3, 6, 6, 15}));
}

TEST(FoldInto, WritesNothingWhereABadStatusThrows) {
  const std::vector<double> y{1, 2, NAN, 4};
  std::vector<double> out(2, -1);
  const ArrayRef a(y.data(), f64, {2, 2});
  expect_error(ErrorCode::nan_found, {"sum[1]"},
               [&] { fold_into(out, "sum", a, {.axes = {1}, .nan = NanPolicy::raise}); });
  EXPECT_EQ(out, (std::vector<double>{-1, -1}));
  Status status[2] = {Status::overflow, Status::overflow};
  fold_into(OutputRef(out.data(), f64, {2}, status), "sum", a,
            {.axes = {1}, .nan = NanPolicy::raise});
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(status[0], Status::ok);
  EXPECT_EQ(status[1], Status::nan_found);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
