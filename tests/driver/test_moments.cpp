// Moments on the simulated device: the bits of the processor.
#include <limits>
#include <random>

#include "driver/requests.hpp"
#include "gpu/masks.hpp"
#include "scaled.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class SimulatedMoments : public Requests {};

TEST_P(SimulatedMoments, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < test::scaled(12u); ++seed) {
    ASSERT_EQ(random_flaws(GetParam().ops, GetParam().dtype, seed, 500), "");
  }
}
TEST(SimulatedMomentsOfMasks, LeaveOutWhatAMaskLeavesOut) {
  for (uint64_t seed = 0; seed < test::scaled(12u); ++seed) {
    ASSERT_EQ(random_masked_flaws("skewness,kurtosis", f32, seed, 500, false, false), "");
  }
}

// Answers in turn: near 0, a million deviations from 0, equal numbers, zeros, numbers that cancel,
// one with an infinity. All but the first are undecided, and computed again from two words.
//   masked   two of three elements count, and the first one does not
std::string far_flaws(const char* ops, Size answers, Size n, int64_t axis, bool masked,
                      Correction ddof = {}) {
  std::mt19937 random(9);
  std::vector<float> x(answers * n);
  std::vector<uint8_t> mask(x.size());
  for (Size a = 0; a < answers; ++a) {
    for (Size e = 0; e < n; ++e) {
      const auto v = static_cast<float>(random() % 4096) / 1024;
      const float all[] = {v,
                           1e6f + v,
                           3.25f,
                           0,
                           e % 2 == 0 ? v : -x[axis == 1 ? a * n + e - 1 : (e - 1) * answers + a],
                           e == n / 2 ? std::numeric_limits<float>::infinity() : v};
      const Size at = axis == 1 ? a * n + e : e * answers + a;
      x[at] = all[a % 6];
      mask[at] = e % 3 != 0;
    }
  }
  const auto rows = static_cast<int64_t>(answers), elements = static_cast<int64_t>(n);
  const Dims shape = axis == 1 ? Dims(rows, elements) : Dims(elements, rows);
  const ArrayRef array(x.data(), f32, shape);
  Options host{.axes = Axes(axis), .ddof = ddof};
  if (masked) host.where = ArrayRef(mask.data(), DType::boolean, shape);
  Options device = host;
  device.device = cuda();
  std::string flaws;
  for (int k = 0; k < 2; ++k) {  // all bits were cleared
    flaws += text_of(fold(ops, array, device), fold(ops, array, host));
  }
  return flaws;
}

TEST(SimulatedMomentsOfSamples, HaveTheBitsOfTheProcessor) {
  control().flaws = "";
  for (const bool masked : {false, true}) {
    for (const Size n : {1, 2, 3, 4, 5, 40, 700}) {
      EXPECT_EQ(far_flaws("skewness,kurtosis", 12, n, 1, masked, 1), "") << n;
      EXPECT_EQ(far_flaws("skewness,kurtosis", 12, n, 0, masked, 1), "") << n;
    }
  }
  EXPECT_EQ(control().flaws, "");
}

// By a warp each, and by blocks that share them.
TEST(SimulatedMomentsOfRows, ThatTotalsDoNotDecideAreComputedAgain) {
  control().flaws = "";
  const char* const others = "sem,kurtosis_pearson,moment3,raw_moment4";
  for (const bool masked : {false, true}) {
    EXPECT_EQ(far_flaws(others, 60, 40, 1, masked), "");
    EXPECT_EQ(far_flaws(others, 60, 40, 1, masked, 1), "");
    EXPECT_EQ(far_flaws(others, 6, 3000, 0, masked, 0), "");
  }
  for (const char* const ops : {"skewness,kurtosis", "var"}) {
    for (const bool masked : {false, true}) {
      EXPECT_EQ(far_flaws(ops, 300, 40, 1, masked), "") << ops << masked;
      EXPECT_EQ(far_flaws(ops, 6, 3000, 1, masked), "") << ops << masked;
      EXPECT_EQ(far_flaws(ops, 6, 3000, 0, masked), "") << ops << masked;
      EXPECT_EQ(far_flaws(ops, 3, 9000, 1, masked), "") << ops << masked;
    }
  }
  EXPECT_EQ(control().flaws, "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedMoments,
                         testing::Values(FoldCase{"skewness,kurtosis", f32},
                                         FoldCase{"skewness", f64}, FoldCase{"kurtosis", i16},
                                         FoldCase{"sem,kurtosis_pearson,moment3,raw_moment4", f32},
                                         FoldCase{"moment4,raw_moment3", f64}),
                         in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
