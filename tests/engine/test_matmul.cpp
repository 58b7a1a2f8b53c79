// Products of matrices: the shapes, and that each entry is dot of its row and column.
#include "onefold/matmul.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "expect_error.hpp"
#include "generate.hpp"
#include "onefold/onefold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::expect_error;
using test::Random;

// A matrix, and views of it.
template <class T>
struct Matrix {
  int64_t rows, columns;
  std::vector<T> data;
  Matrix(int64_t m, int64_t n) : rows(m), columns(n), data(static_cast<Size>(m * n)) {}
  ArrayRef ref() const { return {data.data(), dtype_of<T>, {rows, columns}}; }
  ArrayRef turned() const {
    const auto step = static_cast<int64_t>(sizeof(T));
    return {data.data(), dtype_of<T>, Dims(columns, rows), Dims(step, columns * step)};
  }
};

// The bits of dot of row i of a and column j of b, each folded alone.
template <class T>
uint64_t entry(const Matrix<T>& a, const Matrix<T>& b, int64_t i, int64_t j) {
  const auto step = static_cast<int64_t>(sizeof(T));
  const ArrayRef row(a.data.data() + i * a.columns, dtype_of<T>, Dims(a.columns));
  const ArrayRef column(b.data.data() + j, dtype_of<T>, Dims(b.rows), Dims(b.columns * step));
  return fold("dot", row, column).list[0][0].bits;
}

// Numbers of a kind: 0 normal, 1 of any size, 2 with NaN and infinities, 3 zeros with signs,
// 4 whole, 5 subnormal.
template <class T>
void fill(Matrix<T>& x, int kind, Random& random) {
  for (T& v : x.data) {
    const double u = std::ldexp(static_cast<double>(test::pick(random, 0, 1 << 24)), -23) - 1;
    const double any = std::ldexp(u, static_cast<int>(test::pick(random, 0, 80)) - 40);
    const double special[] = {u,
                              u,
                              u,
                              std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity(),
                              -0.0,
                              0};
    const double tiny = u * static_cast<double>(std::numeric_limits<T>::min());
    const double numbers[] = {u,
                              any,
                              special[test::pick(random, 0, 79) < 1 ? test::pick(random, 3, 6) : 0],
                              std::copysign(0.0, u),
                              std::rint(u * 9),
                              tiny};
    v = static_cast<T>(numbers[kind]);
  }
}

template <class T>
void check(int64_t m, int64_t k, int64_t n, int kind, Random& random) {
  Matrix<T> a(m, k), b(k, n);
  fill(a, kind, random);
  fill(b, kind, random);
  for (const std::string_view target : cpu_targets()) {
    for (const int threads : {1, 3}) {
      const Options o{.threads = threads, .target = target};
      const Answer ours = matmul(a.ref(), b.ref(), o);
      ASSERT_EQ(ours.shape, Dims(m, n));
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          const Value v = ours[static_cast<Size>(i * n + j)];
          ASSERT_EQ(v.bits, entry(a, b, i, j))
              << name_of(dtype_of<T>) << " kind " << kind << ": " << m << " " << k << " " << n
              << ", entry " << i << " " << j << ", " << target << ", " << threads << " threads";
        }
      }
    }
  }
}

TEST(Matmul, EntriesAreDotsOfRowsAndColumns) {
  Random random(1);
  for (int kind = 0; kind < 6; ++kind) {
    check<float>(37, 70, 41, kind, random);
    check<double>(37, 70, 41, kind, random);
    check<float>(5, 1200, 33, kind, random);
    check<double>(33, 600, 5, kind, random);
    check<double>(43, 133, 101, kind, random);
  }
  check<int32_t>(37, 70, 41, 4, random);
  check<int8_t>(37, 70, 41, 4, random);
  check<int64_t>(37, 70, 41, 4, random);
  check<uint16_t>(9, 40, 30, 3, random);
}

TEST(Matmul, EntriesBetweenTwoNumbersGoToTheEvenOne) {
  // 2^23 + i + 1/2, among terms that cancel.
  constexpr int64_t m = 16, k = 300, n = 32;
  Matrix<float> a(m, k), b(k, n);
  Random random(3);
  fill(a, 0, random);
  for (int64_t i = 0; i < m; ++i) {
    float* const row = &a.data[static_cast<Size>(i * k)];
    row[0] = 0x1p23f + static_cast<float>(i);
    row[1] = 0.5f;
    row[3] = -row[2];
  }
  for (Size j = 0; j < n; ++j) {
    b.data[j] = b.data[n + j] = 1;
    b.data[2 * n + j] = b.data[3 * n + j] = 1.0f / 3;
  }
  for (const std::string_view target : cpu_targets()) {
    const Answer c = matmul(a.ref(), b.ref(), {.target = target});
    for (Size i = 0; i < m; ++i) {
      EXPECT_EQ(c[i * n + i].as<float>(), 0x1p23f + static_cast<float>((i + 1) / 2 * 2)) << i;
    }
  }
}

TEST(Matmul, TakesAnyStrides) {
  Random random(2);
  Matrix<float> a(40, 50), b(50, 60), c(60, 50);
  fill(a, 1, random);
  fill(b, 1, random);
  for (int64_t i = 0; i < 50; ++i) {
    for (int64_t j = 0; j < 60; ++j)
      c.data[static_cast<Size>(j * 50 + i)] = b.data[static_cast<Size>(i * 60 + j)];
  }
  const Answer one = matmul(a.ref(), b.ref()), two = matmul(a.ref(), c.turned());
  EXPECT_EQ(one.data, two.data);
  const Answer other = matmul(b.turned(), a.turned());
  EXPECT_EQ(other.shape, Dims(60, 40));
  for (Size i = 0; i < 40; ++i) {
    for (Size j = 0; j < 60; ++j) EXPECT_EQ(one[i * 60 + j], other[j * 40 + i]);
  }
}

TEST(Matmul, TakesRowsAndColumnsBackwardsAndWritesIntoOutputsWithStrides) {
  Random random(4);
  Matrix<double> a(60, 150), b(150, 110);
  fill(a, 0, random);
  fill(b, 0, random);
  constexpr int64_t e = sizeof(double);
  const Answer right = matmul(a.ref(), b.ref());
  const ArrayRef up(&a.data[59 * 150], DType::f64, Dims(60, 150), Dims(-150 * e, e));
  const ArrayRef left(&b.data[109], DType::f64, Dims(150, 110), Dims(110 * e, -e));
  std::vector<double> out(60 * 220, -1);
  matmul_into({out.data(), DType::f64, Dims(60, 110), Dims(220 * e, 2 * e)}, up, left);
  for (Size i = 0; i < 60; ++i) {
    for (Size j = 0; j < 110; ++j) {
      ASSERT_EQ(out[i * 220 + j * 2], right[(59 - i) * 110 + 109 - j].as<double>());
      ASSERT_EQ(out[i * 220 + j * 2 + 1], -1);
    }
  }
}

TEST(Matmul, TakesLongRows) {
  Random random(5);
  Matrix<double> a(48, 70'000), b(70'000, 4);
  fill(a, 0, random);
  fill(b, 0, random);
  const Answer c = matmul(a.ref(), b.ref());
  for (int64_t i = 0; i < 48; i += 13) {
    for (int64_t j = 0; j < 4; ++j) {
      EXPECT_EQ(c[static_cast<Size>(i * 4 + j)].bits, entry(a, b, i, j));
    }
  }
}

TEST(Matmul, HasNumpysShapes) {
  const std::vector<float> x(4096, 1);
  const auto shape = [&](Dims a, Dims b) {
    return matmul({x.data(), DType::f32, a}, {x.data(), DType::f32, b}).shape;
  };
  EXPECT_EQ(shape({4}, {4}), Dims());
  EXPECT_EQ(shape({4}, {4, 5}), Dims(5));
  EXPECT_EQ(shape({3, 4}, {4}), Dims(3));
  EXPECT_EQ(shape({2, 1, 3, 4}, {6, 4, 5}), Dims(2, 6, 3, 5));
  EXPECT_EQ(shape({6, 3, 4}, {4}), Dims(6, 3));
  EXPECT_EQ(shape({0, 4}, {4, 5}), Dims(0, 5));
  EXPECT_EQ(matmul({x.data(), DType::f32, Dims(3, 0)}, {x.data(), DType::f32, Dims(0, 2)})[5],
            (Value{DType::f32, Status::ok, 0}));
}

// c + a b, by dot of each row and column, with 1 and the element of c behind them.
template <class T>
void check_sum(int64_t m, int64_t k, int64_t n, int64_t rows, int64_t columns, int kind) {
  Random random(7);
  Matrix<T> a(m, k), b(k, n), c(rows, columns);
  fill(a, kind, random);
  fill(b, kind, random);
  fill(c, kind, random);
  std::vector<T> out(static_cast<Size>(2 * m * n));
  constexpr int64_t e = sizeof(T);
  addmm_into({out.data(), dtype_of<T>, Dims(m, n), Dims(2 * n * e, 2 * e)}, c.ref(), a.ref(),
             b.ref());
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      Matrix<T> row(1, k + 1), column(k + 1, 1);
      for (int64_t l = 0; l < k; ++l) {
        row.data[static_cast<Size>(l)] = a.data[static_cast<Size>(i * k + l)];
        column.data[static_cast<Size>(l)] = b.data[static_cast<Size>(l * n + j)];
      }
      row.data.back() = 1;
      column.data.back() =
          c.data[static_cast<Size>((rows == 1 ? 0 : i) * columns + (columns == 1 ? 0 : j))];
      const T v = out[static_cast<Size>(2 * (i * n + j))];
      ASSERT_EQ(uint64_t{bit_cast<bits_of<T>>(v)}, entry(row, column, 0, 0)) << i << " " << j;
    }
  }
}

TEST(Matmul, OfASumRoundsEachEntryOnce) {
  for (int kind = 0; kind < 6; ++kind) {
    for (const auto& [rows, columns] : {std::pair(1, 1), {1, 41}, {37, 1}, {37, 41}}) {
      check_sum<float>(37, 70, 41, rows, columns, kind);
      check_sum<double>(37, 70, 41, rows, columns, kind);
    }
  }
  check_sum<int64_t>(5, 3, 4, 5, 4, 4);
  check_sum<float>(5, 0, 4, 5, 4, 3);
}

TEST(Matmul, OfASumRefusesWhatHasNoMeaning) {
  const std::vector<float> x(12, 2);
  std::vector<float> out(9);
  const ArrayRef a(x.data(), DType::f32, Dims(3, 4)), b(x.data(), DType::f32, Dims(4, 3));
  const OutputRef to(out.data(), DType::f32, Dims(3, 3));
  addmm_into(to, {x.data(), DType::f32, Dims()}, a, b);
  EXPECT_EQ(out, std::vector<float>(9, 18));
  expect_error(ErrorCode::shape_mismatch, {"addmm: c has shape (4,)", "(3, 3)"}, [&] {
    addmm_into(to, {x.data(), DType::f32, Dims(4)}, a, b);
  });
  expect_error(ErrorCode::type_mismatch, {"addmm: the arrays are f32 and f64"}, [&] {
    addmm_into(to, {x.data(), DType::f64, Dims(3)}, a, b);
  });
  expect_error(ErrorCode::shape_mismatch, {"addmm: both operands must be matrices"}, [&] {
    addmm_into(to, a, {x.data(), DType::f32, Dims(4)}, b);
  });
  expect_error(ErrorCode::shape_mismatch, {"addmm: the output has shape (3, 3)"}, [&] {
    addmm_into(to, {x.data(), DType::f32, Dims(3)}, b, a);
  });
}

TEST(Matmul, WritesIntoOutputsAndRefusesWhatHasNoMeaning) {
  const std::vector<float> x(12, 2);
  std::vector<float> out(9);
  const ArrayRef a(x.data(), DType::f32, Dims(3, 4)), b(x.data(), DType::f32, Dims(4, 3));
  matmul_into({out.data(), DType::f32, Dims(3, 3)}, a, b);
  EXPECT_EQ(out, std::vector<float>(9, 16));
  expect_error(ErrorCode::shape_mismatch, {"shapes (3, 4) and (3, 4)", "4 elements", "3;"},
               [&] { matmul(a, a); });
  expect_error(ErrorCode::shape_mismatch, {"one operand is a single number"}, [&] {
    matmul({x.data(), DType::f32, Dims()}, a);
  });
  expect_error(ErrorCode::bad_option, {".axes"}, [&] { matmul(a, b, {.axes = {0}}); });
  expect_error(ErrorCode::bad_option, {".ddof"}, [&] { matmul(a, b, {.ddof = 1}); });
  const Answer wide = matmul(a, b, {.result = DType::f64});
  EXPECT_EQ(wide[0].as<double>(), 16);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
