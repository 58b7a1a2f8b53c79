// Each entry of a matrix of columns has the bits of the op of two columns.
#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "generate.hpp"
#include "onefold/fit.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::expect_error;
using test::Random;

ArrayRef column(const ArrayRef& x, Size j) {
  return ArrayRef(static_cast<const std::byte*>(x.data) + static_cast<int64_t>(j) * x.strides[1],
                  x.dtype, Dims(x.shape[0]), Dims(x.strides[0]));
}

void expect_entries(const Answer& found, const char* op, const ArrayRef& x, const Options& o) {
  const auto p = static_cast<Size>(x.shape[1]);
  ASSERT_EQ(found.shape, Dims(p, p));
  for (Size i = 0; i < p; ++i) {
    for (Size j = 0; j < p; ++j) {
      const Value wanted = fold(op, column(x, i), column(x, j), o).list[0][0];
      const Value entry = found[i * p + j];
      EXPECT_EQ(entry.dtype, wanted.dtype);
      EXPECT_EQ(entry.status, wanted.status);
      EXPECT_EQ(entry.bits, wanted.bits) << op << ' ' << name_of(x.dtype) << ' ' << i << ' ' << j;
    }
  }
}

void expect_all(const ArrayRef& x, const Options& options) {
  Options o = options;
  o.ddof = 1;
  expect_entries(cov_matrix(x, o), "cov", x, o);
  o.ddof = {};
  expect_entries(corr_matrix(x, o), "corr", x, o);
  expect_entries(gram(x, o), "dot", x, o);
}

// Both layouts, for each policy of NaN.
void expect_layouts(const Data& data, Size n, Size p) {
  const auto bytes = static_cast<int64_t>(bytes_of(data.dtype()));
  const ArrayRef rows(data.data(), data.dtype(), Dims(n, p));
  const ArrayRef columns(data.data(), data.dtype(), Dims(n, p),
                         Dims(bytes, bytes * static_cast<int64_t>(n)));
  for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
    expect_all(rows, {.nan = nan});
    expect_all(columns, {.nan = nan, .threads = 1});
  }
}

// Fewer rows are folded pair by pair, more become sums of pairs.
TEST(ColumnMatrices, HaveTheBitsOfTheOps) {
  for (const DType t : {DType::boolean, DType::i8, DType::i32, DType::i64, DType::u64, DType::f16,
                        DType::bf16, DType::f32, DType::f64}) {
    uint64_t seed = 1;
    for (const std::string_view generator : test::generators(t)) {
      for (const Size n : {21u, 4100u}) {
        SCOPED_TRACE(test::describe(generator, t, n * 3, seed));
        expect_layouts(test::generate(generator, t, n * 3, seed++), n, 3);
      }
    }
  }
}

TEST(ColumnMatrices, AreSumsOfManyBlocks) {
  const Size n = 70'000;
  expect_layouts(test::generate(test::generators(DType::f64)[0], DType::f64, 3 * n, 7), n, 3);
}

TEST(ColumnMatrices, OfManyColumnsAreProductsOfMatrices) {
  const Data data = test::generate(test::generators(DType::f32)[0], DType::f32, 50 * 20, 7);
  const ArrayRef x(data.data(), DType::f32, Dims(20, 50));
  expect_entries(gram(x), "dot", x, {});
}

TEST(ColumnMatrices, TakeNothing) {
  const std::vector<double> none = {}, one = {2, 4, 6};
  EXPECT_EQ(cov_matrix(ArrayRef(none.data(), DType::f64, Dims(3, 0))).shape, Dims(0, 0));
  const ArrayRef empty(none.data(), DType::f64, Dims(0, 2));
  expect_entries(cov_matrix(empty), "cov", empty, {});
  expect_entries(gram(empty), "dot", empty, {});
  EXPECT_EQ(cov_matrix(one, {.ddof = 1}).only().as<double>(), 4);
}

TEST(ColumnMatrices, RoundToTheTypeThatIsAskedFor) {
  const std::vector<float> x = {1, 2, 4, 8, 3, 5};
  const ArrayRef m(x.data(), DType::f32, Dims(3, 2));
  EXPECT_EQ(cov_matrix(m, {.wide = true}).dtype, DType::f64);
  expect_entries(corr_matrix(m, {.result = DType::f64}), "corr", m, {.result = DType::f64});
}

TEST(ColumnMatrices, SayWhatIsWrong) {
  const std::vector<double> x(8);
  const ArrayRef cube(x.data(), DType::f64, Dims(2, 2, 2));
  expect_error(ErrorCode::shape_mismatch, {"corr_matrix", "(2, 2, 2)"}, [&] { corr_matrix(cube); });
  expect_error(ErrorCode::bad_option, {"gram", ".ddof"}, [&] { gram(x, {.ddof = 1}); });
  expect_error(ErrorCode::bad_option, {"cov_matrix", ".axes"},
               [&] { cov_matrix(x, {.axes = Axes(0)}); });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
