// rms_norm and layer_norm: each answer is the exact one, rounded once.
#include "onefold/layer_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "big_float.hpp"
#include "expect_error.hpp"
#include "generate.hpp"
#include "onefold/cpu/exponential/kernels.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

// More bits than any exact root needs to show that it is none of a float or a tie.
using Big = test::BigFloat<9200>;
using test::expect_error;
using test::Random;
constexpr double inf = std::numeric_limits<double>::infinity();

uint64_t bits_at(const Answer& a, Size i) {
  uint64_t bits = 0;
  std::memcpy(&bits, a.data.data() + i * bytes_of(a.dtype), bytes_of(a.dtype));
  return bits;
}

template <class T>
struct Row {
  std::vector<T> x, w, b;
  double eps = 0;

  ArrayRef weight() const { return ArrayRef(w); }
  ArrayRef bias() const { return ArrayRef(b); }
};

template <class T>
double number(const std::vector<T>& v, Size i) {
  return cpu_backend::element_of(v.data(), i, dtype_of<T>);
}

template <class T>
void check_row(const Row<T>& row, std::string_view target) {
  const Size n = row.x.size();
  const FloatFormat f = float_format(dtype_of<T>);
  Big sum = 0, squares = 0;
  for (Size i = 0; i < n; ++i) {
    const Big v = number(row.x, i);
    sum += v;
    squares += v * v;
  }
  const Big mean_root = sqrt(squares * n + Big(row.eps) * n * n),
            root = sqrt(squares * n - sum * sum + Big(row.eps) * n * n);
  const ArrayRef weight = row.weight(), bias = row.bias();
  const Options o{.threads = 1, .target = target};
  const Answer rms = rms_norm(row.x, {.weight = &weight, .eps = row.eps}, o);
  const Answer layer = layer_norm(row.x, {&weight, &bias, row.eps}, o);
  const auto same = [&](const char* function, const Answer& got, Size i, uint64_t want) {
    EXPECT_EQ(bits_at(got, i), want)
        << function << " " << i << " of " << n << " " << name_of(dtype_of<T>) << " " << target
        << " x " << number(row.x, i) << " w " << number(row.w, i) << " b " << number(row.b, i)
        << " eps " << row.eps;
  };
  for (Size i = 0; i < n; ++i) {
    const double x = number(row.x, i), w = number(row.w, i);
    const Big y = Big(x) * w * n, z = (Big(x) * n - sum) * w;
    const uint64_t zero = std::signbit(x) != std::signbit(w) ? f.sign() : 0;
    same("rms_norm", rms, i,
         mean_root == 0 ? f.nan()
         : y == 0       ? zero
                        : test::rounded(Big(y / mean_root), f));
    same("layer_norm", layer, i,
         root == 0 ? f.nan() : test::rounded(Big(z / root + number(row.b, i)), f));
  }
}

double unit_of(Random& r) { return static_cast<double>(r() >> 11) * 0x1p-53; }

template <class T>
T element(double v) {
  return from_double<T>(OneLane::narrow<T>(v));
}

template <class T>
Row<T> random_row(Random& r) {
  Row<T> row;
  const int kind = static_cast<int>(r() % 10), factors = static_cast<int>(r() % 4);
  const Size n = 1 + r() % (r() % 8 == 0 ? 70 : 9);
  const auto spread = dtype_of<T> == DType::f16 ? 30u : sizeof(T) == 8 ? 2040u : 250u;
  const int below = dtype_of<T> == DType::f16 ? 16 : sizeof(T) == 8 ? 1050 : 140;
  const double far = std::exp2(static_cast<double>(r() % (dtype_of<T> == DType::f16 ? 15 : 60))),
               first = unit_of(r) - 0.5;
  for (Size i = 0; i < n; ++i) {
    const double u = unit_of(r) - 0.5, small = static_cast<double>(r() % 9) - 4;
    const double wide = std::ldexp(u, static_cast<int>(r() % spread) - below);
    const double v = kind <= 1   ? u
                     : kind <= 3 ? small
                     : kind == 4 ? far + u
                     : kind == 5 ? first
                     : kind == 6 ? wide
                     : kind == 7 ? (i % 2 == 0 ? small : -small)
                     : kind == 8 ? std::ldexp(small, -below)
                                 : (i == 0 ? far : u);
    row.x.push_back(element<T>(v));
    row.w.push_back(element<T>(factors == 0 ? 1 : factors == 1 ? small / 2 : unit_of(r)));
    row.b.push_back(element<T>(factors == 0   ? 0
                               : factors == 1 ? static_cast<double>(r() % 5) / 4 - 0.5
                               : factors == 2 ? unit_of(r) - 0.5
                                              : 0));
  }
  const double eps[] = {0, 1e-5, 0.25, 1, 1e-300};
  row.eps = eps[r() % 5];
  return row;
}

template <class T>
void check_rows(uint64_t seed, int rounds) {
  Random r(seed);
  const auto targets = usable_targets();
  for (int round = 0; round < rounds; ++round) {
    check_row(random_row<T>(r), name_of(targets[r() % targets.size()]));
  }
}

TEST(LayerNorm, RoundsTheExactValueOnce) {
  check_rows<double>(1, 120);
  check_rows<float>(2, 120);
  check_rows<bfloat16>(3, 120);
  check_rows<float16>(4, 120);
}

// 3 w / 2 with an odd w of 8 bits lies between two bf16.
TEST(LayerNorm, DecidesTies) {
  Row<bfloat16> row;
  for (const double v : {3., 1., 1., 1., 2., 2., 2., 2.}) row.x.push_back(element<bfloat16>(v));
  for (const double v : {171., 173., 175., 177., 179., 181., 183., 185.}) {
    row.w.push_back(element<bfloat16>(v));
  }
  row.b.assign(8, element<bfloat16>(0));
  row.eps = 0.5;  // the mean square is 3.5
  check_row(row, "");
  const ArrayRef weight = row.weight();
  const Answer got = rms_norm(row.x, {.weight = &weight, .eps = 0.5});
  EXPECT_EQ(number(std::vector<bfloat16>{got[0].as<bfloat16>()}, 0), 256);  // of 256.5
}

// A product below the least normal f64, which a large element multiplies.
TEST(LayerNorm, KeepsWhatProductsLoseBelowTheLeastNumber) {
  Row<double> row{{1e30, -3e30}, {1e-290, 7e-290}, {0, 0}, 0};
  check_row(row, "");
  row = {{1.1e133}, {1.2345678901234567e-190}, {0}, 0};
  check_row(row, "");
}

// 0 times a factor that is no number is NaN, of any type; so is such a bias.
template <class T>
void check_factors_without_numbers() {
  const auto of = [](const std::vector<double>& v) {
    std::vector<T> all;
    for (const double one : v) all.push_back(element<T>(one));
    return all;
  };
  const auto nan = float_format(dtype_of<T>).nan();
  for (const double bad : {static_cast<double>(NAN), inf}) {
    const std::vector<T> zero = of({1, 0}), same = of({1, 1}), factor = of({1, bad}),
                         nan_bias = of({NAN, 1});
    const ArrayRef by(factor), added(nan_bias);
    EXPECT_EQ(bits_at(rms_norm(zero, {.weight = &by}), 1), nan) << name_of(dtype_of<T>);
    EXPECT_EQ(bits_at(layer_norm(same, {.weight = &by}), 1), nan) << name_of(dtype_of<T>);
    EXPECT_EQ(bits_at(layer_norm(same, {.bias = &added}), 0), nan) << name_of(dtype_of<T>);
  }
}
TEST(LayerNorm, MultipliesByWhatIsNoNumberAsIeeeDoes) {
  check_factors_without_numbers<double>();
  check_factors_without_numbers<float>();
  check_factors_without_numbers<float16>();
  check_factors_without_numbers<bfloat16>();
}

TEST(LayerNorm, KeepsNanAndInfinities) {
  const std::vector<float> nan = {1, NAN, 2}, infinite = {1, -2, static_cast<float>(inf), 0};
  const auto values = [](const Answer& a) {
    std::vector<float> v(a.status.size());
    std::memcpy(v.data(), a.data.data(), a.data.size());
    return v;
  };
  for (const float v : values(rms_norm(nan))) EXPECT_TRUE(std::isnan(v));
  for (const float v : values(layer_norm(nan))) EXPECT_TRUE(std::isnan(v));
  for (const float v : values(layer_norm(infinite))) EXPECT_TRUE(std::isnan(v));
  const std::vector<float> rms = values(rms_norm(infinite));
  EXPECT_EQ(rms[0], 0);
  EXPECT_TRUE(rms[1] == 0 && std::signbit(rms[1]));
  EXPECT_TRUE(std::isnan(rms[2]));
  // Factors are numbers like any other; an element less the mean may be 0.
  const std::vector<float> x = {1, 2, 3}, w = {static_cast<float>(inf), static_cast<float>(inf), 1},
                           b = {0, 0, static_cast<float>(-inf)};
  const ArrayRef weight(w), bias(b);
  const std::vector<float> y = values(layer_norm(x, {&weight, &bias, 0}));
  EXPECT_EQ(y[0], -inf);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], -inf);
  // Equal elements without eps: 0 / 0.
  const std::vector<float> equal = {2, 2};
  for (const float v : values(layer_norm(equal, {.eps = 0}))) EXPECT_TRUE(std::isnan(v));
  EXPECT_EQ(values(rms_norm(equal, {.eps = 0})), (std::vector<float>{1, 1}));
  EXPECT_TRUE(rms_norm(std::vector<float>{}).data.empty());
}

// A slice along any axes has the bits that it has alone, by any threads and instruction set.
TEST(LayerNorm, DoesNotDependOnTheBatch) {
  Random r(7);
  std::vector<float> x(3 * 50 * 7), w(150);
  for (float& v : x) v = static_cast<float>(unit_of(r) - 0.3);
  for (float& v : w) v = static_cast<float>(unit_of(r));
  const ArrayRef all(x.data(), DType::f32, {3, 50, 7}), weight(w.data(), DType::f32, {3, 50});
  const NormScale scale{.weight = &weight};
  const Answer one = layer_norm(all, scale, {.axes = {0, 1}, .threads = 1});
  for (const Target t : usable_targets()) {
    const Answer other =
        layer_norm(all, scale, {.axes = {0, 1}, .threads = 2, .target = name_of(t)});
    EXPECT_EQ(one.data, other.data) << name_of(t);
  }
  for (Size c = 0; c < 7; ++c) {
    std::vector<float> slice;
    for (Size i = c; i < x.size(); i += 7) slice.push_back(x[i]);
    const ArrayRef flat(w);
    const Answer alone = layer_norm(slice, {.weight = &flat});
    for (Size i = 0; i < slice.size(); ++i) EXPECT_EQ(bits_at(alone, i), bits_at(one, 7 * i + c));
  }
}

TEST(LayerNorm, SaysWhatIsWrong) {
  const std::vector<float> x = {1, 2, 3};
  const std::vector<double> wide = {1, 1, 1};
  const std::vector<float> two = {1, 2};
  const ArrayRef other(wide), few(two);
  expect_error(ErrorCode::type_mismatch, {"rms_norm", "weight", "f64", "f32"},
               [&] { rms_norm(x, {.weight = &other}); });
  expect_error(ErrorCode::shape_mismatch, {"layer_norm", "bias", "(2,)", "(3,)"},
               [&] { layer_norm(x, {.bias = &few}); });
  expect_error(ErrorCode::bad_option, {"rms_norm", ".bias"}, [&] {
    const ArrayRef bias(x);
    rms_norm(x, {.bias = &bias});
  });
  expect_error(ErrorCode::bad_option, {"layer_norm", "eps", "-1"},
               [&] { layer_norm(x, {.eps = -1}); });
  expect_error(ErrorCode::bad_option, {"layer_norm", ".nan"},
               [&] { layer_norm(x, {}, {.nan = NanPolicy::omit}); });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
