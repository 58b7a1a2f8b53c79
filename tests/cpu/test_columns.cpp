// Neighbouring answers are computed by bands and tiles of columns; every answer is that of its own
// slice.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "onefold/engine/plan/plan.hpp"
#include "onefold/fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

// `bytes` random bytes around `origin`, so that strides may be negative.
struct Memory {
  std::vector<std::byte> bytes;
  explicit Memory(std::size_t n, uint64_t seed) : bytes(n) {
    std::mt19937_64 r(seed);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(r() % 120);
  }
};

struct Shape {
  Dims extents, strides;  // strides in bytes
  Axes axes;
  int64_t origin = 0;
  Family family = Family::columns;
};

// Folds each slice separately, from a one-dimensional copy.
void expect_slices(const Shape& s, DType t, std::string_view ops, int threads, bool two = false) {
  const Memory memory(4 << 20, 1), other(4 << 20, 2);
  const std::byte* x = memory.bytes.data() + s.origin;
  const std::byte* y = other.bytes.data() + s.origin;
  const ArrayRef a{x, t, s.extents, s.strides}, b{y, t, s.extents, s.strides};
  const Options options{.axes = s.axes, .nan = NanPolicy::omit, .threads = threads};
  EXPECT_EQ(family_of(make_plan(ops, a, two ? &b : nullptr, options).nest), s.family);
  const Answers got = two ? fold(ops, a, b, options) : fold(ops, a, options);

  const auto bytes = static_cast<std::size_t>(bytes_of(t));
  std::vector<bool> folds(static_cast<std::size_t>(s.extents.rank()));
  for (const int64_t axis : s.axes.list()) folds[static_cast<std::size_t>(axis)] = true;
  // Slices in C order of the kept axes, elements in C order of the folded ones.
  std::vector<std::vector<std::byte>> slice_x(got.list[0].size()), slice_y(got.list[0].size());
  std::vector<int64_t> at(folds.size());
  for (bool more = true; more;) {
    std::size_t slice = 0;
    int64_t offset = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const int k = static_cast<int>(d);
      if (!folds[d]) {
        slice = slice * static_cast<std::size_t>(s.extents[k]) + static_cast<std::size_t>(at[d]);
      }
      offset += at[d] * s.strides[k];
    }
    slice_x[slice].insert(slice_x[slice].end(), x + offset, x + offset + bytes);
    slice_y[slice].insert(slice_y[slice].end(), y + offset, y + offset + bytes);
    more = false;
    for (std::size_t d = at.size(); d-- > 0 && !more;) {
      more = ++at[d] < s.extents[static_cast<int>(d)];
      if (!more) at[d] = 0;
    }
  }
  for (std::size_t k = 0; k < slice_x.size(); ++k) {
    const Dims n{static_cast<int64_t>(slice_x[k].size() / bytes)};
    const ArrayRef u{slice_x[k].data(), t, n}, v{slice_y[k].data(), t, n};
    const Options alone{.nan = NanPolicy::omit, .threads = 1};
    const Answers expected = two ? fold(ops, u, v, alone) : fold(ops, u, alone);
    for (std::size_t op = 0; op < got.list.size(); ++op) {
      ASSERT_EQ(got.list[op].status[k], expected.list[op].status[0]) << got.list[op].op << k;
      ASSERT_EQ(got.list[op][k].bits, expected.list[op][0].bits)
          << got.list[op].op << "[" << k << "] of " << name_of(t) << to_string(s.extents) << ", "
          << threads << " threads";
    }
  }
}

Shape c_order(DType t, const Dims& extents, const Axes& axes, Family family = Family::columns) {
  return {extents, row_major(extents, t), axes, 0, family};
}

TEST(Columns, AreRightAtTheBordersOfTilesAndBands) {
  for (const int64_t rows : {2, 7, 8, 9, 511, 512, 513, 1030}) {
    for (const int64_t columns : {2, 31, 32, 33, 70}) {
      expect_slices(c_order(f64, {rows, columns}, {0}), f64, "var,argmin,max", 1);
    }
  }
}

TEST(Columns, AreRightForElementsOfAnySize) {
  for (const DType t : {boolean, i8, u16, f16, bf16, i32, f32, u64}) {
    expect_slices(c_order(t, {600, 300}, {0}), t, "sum,argmax,count_nonzero", 1);
  }
}

TEST(Columns, AreRightForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 8}) {
    expect_slices(c_order(f64, {20000, 5}, {0}), f64, "sum,argmin,argmax,count", threads);
    expect_slices(c_order(f32, {40, 9000}, {0}), f32, "sum,argmin,argmax,count", threads);
    expect_slices(c_order(i8, {7000, 40}, {0}), i8, "sum,argmin,argmax,count", threads);
  }
}

TEST(Columns, AreRightBetweenAndAroundOtherAxes) {
  expect_slices(c_order(i32, {20, 30, 40}, {1}, Family::middle), i32, "sum,argmin", 1);
  expect_slices(c_order(f32, {9, 70, 11, 13}, {0, 2}, Family::general), f32, "sum,argmin", 2);
  expect_slices(c_order(f64, {60, 70, 6}, {0, 1}), f64, "mean,argmax", 1);
}

TEST(Columns, AreRightForAnyStrides) {
  // Every second column; reversed rows; a Fortran array; broadcast columns; unaligned bytes.
  expect_slices({{600, 30}, {800, 16}, {0}}, f64, "sum,argmin", 1);
  expect_slices({{600, 30}, {-800, 8}, {0}, 599 * 800}, f64, "sum,argmin", 1);
  expect_slices({{600, 30}, {800, -8}, {0}, 29 * 8}, f64, "sum,argmin", 1);
  expect_slices({{30, 600}, {8, 400}, {1}}, f64, "sum,argmin", 1);
  expect_slices({{600, 30}, {8, 0}, {0}, 0, Family::rows}, f64, "sum,argmin", 1);
  expect_slices({{600, 30}, {403, 9}, {0}, 1}, f64, "sum,argmin", 1);
}

TEST(Columns, AreRightForTwoArrays) {
  expect_slices(c_order(f64, {700, 40}, {0}), f64, "dot", 1, true);
  expect_slices(c_order(i16, {700, 140}, {0}), i16, "dot", 2, true);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
