// Elements of rms_norm and layer_norm by f32 and by pairs of them: those that are called proven are
// the exact ones rounded.
#include "onefold/cuda/kernel/layer_norm/elements.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "big_float.hpp"
#include "generate.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using namespace kernel;
using Big = test::BigFloat<300>;
using test::Random;

double random_number(Random& r) { return static_cast<double>(static_cast<int64_t>(r())) * 0x1p-63; }
template <class T>
T element(double v) {
  return from_double<T>(OneLane::narrow<T>(v));
}

// Returns how many are proven.
template <class T, bool centred>
int check(uint64_t seed, double mean, double scale, double near_bias) {
  Random r(seed);
  NormRow row;
  row.mean_high = centred ? mean * (1 + 0.01 * random_number(r)) : 0;
  row.mean_low = row.mean_high * 0x1p-54 * random_number(r);
  row.scale_high = scale * (1 + 0.5 * random_number(r));
  row.scale_low = row.scale_high * 0x1p-54 * random_number(r);
  row.is_known = true;
  const NormElements<T, centred> of(row);
  int proven = 0;
  for (int round = 0; round < 2000; ++round) {
    const T x[1] = {element<T>(mean + 2 * random_number(r) / scale)};
    const T weight = element<T>(random_number(r) * (round % 9 == 0 ? 0x1p-90 : 1));
    const NormNumber<T> w[1] = {number_of(weight)};
    // Near the negative product, so that they cancel.
    const double p = (to_double(x[0]) - row.mean_high) * row.scale_high * w[0];
    const T bias = element<T>(centred ? round % 2 == 0 ? -p : near_bias * random_number(r) : 0);
    const NormNumber<T> b[1] = {number_of(bias)};
    T to[1];
    if (of.quick(x, w, b, to) != 0) continue;
    ++proven;
    const Big m = Big(row.mean_high) + Big(row.mean_low),
              s = Big(row.scale_high) + Big(row.scale_low),
              want = (Big(to_double(x[0])) - m) * s * Big(w[0]) + Big(b[0]);
    constexpr FloatFormat f = float_format(dtype_of<T>);
    const bool negative = std::signbit(number_of(x[0]) * w[0]);  // of a zero of rms_norm
    EXPECT_EQ(bit_cast<bits_of<T>>(to[0]),
              want == Big(0) ? (!centred && negative ? f.sign() : 0) : test::rounded(want, f))
        << to_double(x[0]) << " " << w[0] << " " << b[0];
  }
  return proven;
}

template <class T, bool centred>
void check_all(uint64_t seed) {
  for (const double scale : {1.0, 1e-7, 1e6}) {
    for (const double mean : {0.0, 1.0, 1000.0}) {
      const int proven = check<T, centred>(seed, mean / scale, scale, 3);
      if (mean == 0 && scale == 1) EXPECT_GT(proven, 700);
    }
  }
}

TEST(KernelNorms, ElementsAreProvenRightly) {
  check_all<float, true>(1);
  check_all<float, false>(2);
  check_all<bfloat16, true>(3);
  check_all<bfloat16, false>(4);
  check_all<float16, true>(5);
  check_all<float16, false>(6);
}

TEST(KernelNorms, ARowOutOfRangeOfF32LeavesItsElementsOpen) {
  NormRow row;
  row.scale_high = 0x1p50;
  row.is_known = true;
  const NormElements<float, false> of(row);
  const float x[2] = {1, 0}, w[2] = {1, 1}, b[2] = {0, 0};
  float to[2];
  EXPECT_EQ(of.quick(x, w, b, to), 3u);
}

TEST(KernelNorms, ZerosOfRmsNormHaveTheSignOfTheProduct) {
  NormRow row;
  row.scale_high = 2;
  row.is_known = true;
  const NormElements<float, false> of(row);
  const float x[2] = {0.0f, -0.0f}, w[2] = {-1, -1}, b[2] = {0, 0};
  float to[2];
  EXPECT_EQ(of.quick(x, w, b, to), 0u);
  EXPECT_TRUE(std::signbit(to[0]));
  EXPECT_FALSE(std::signbit(to[1]));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
