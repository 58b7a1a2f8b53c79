// Folds of two arrays on the simulated device: they give the bits of the processor.
#include <random>

#include "driver/requests.hpp"
#include "gpu/masks.hpp"
#include "scaled.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

constexpr FoldCase requests[] = {{"mse", f32},
                                 {"rmse,mae,max_abs_diff", f32},
                                 {"corr,cov,slope,intercept", f32},
                                 {"cosine,average", f32},
                                 {"distance,mae", f64},
                                 {"mse,corr", bf16},
                                 {"rmse,max_abs_diff", f16},
                                 {"average", f64},
                                 {"cov,corr,cosine,intercept", f64},
                                 {"slope,max_abs_diff", i32},
                                 {"cov,mse,mae", i16},
                                 {"total_var,total_std", f32},
                                 {"total_std,total_var", f64},
                                 {"total_var", i16},
                                 {"corr,rmse", u8},
                                 {"corr,max_abs_diff", DType::boolean},
                                 {"slope", i64}};

class SimulatedPairs : public Requests {};

TEST_P(SimulatedPairs, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < test::scaled(20u); ++seed) {
    ASSERT_EQ(random_flaws(GetParam().ops, GetParam().dtype, seed, 500, true), "");
    ASSERT_EQ(random_masked_flaws(GetParam().ops, GetParam().dtype, seed, 500, true, false), "");
  }
}

TEST(SimulatedWeights, BroadcastOnTheDevice) {
  const std::vector<double> x(600, 3.5), w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const ArrayRef all(x.data(), f64, Dims(50, 12));
  Options host{.axes = Axes(Dims(1))};
  host.weights = ArrayRef(w.data(), f64, Dims(int64_t{12}));
  Options device = host;
  device.device = cuda();
  EXPECT_EQ(text_of(fold("average", all, device), fold("average", all, host)), "");
}

// Of three answers `undecided` have a mean of a million deviations, or no deviation at all.
std::string far_flaws(const char* ops, const Dims& shape, int64_t axis, int undecided) {
  const Size n = 3000;
  std::mt19937 random(7);
  std::vector<float> x(3 * n), y(3 * n);
  for (Size e = 0; e < n; ++e) {
    for (Size answer = 0; answer < 3; ++answer) {
      const Size at = axis == 0 ? 3 * e + answer : n * answer + e;
      const bool is_far = static_cast<int>(answer) < undecided, is_constant = answer == 1;
      const auto one = [&] {
        const auto v = static_cast<float>(random() % 4096) / 1024;
        return is_far ? (is_constant ? 1e6f : 1e6f + v) : v;
      };
      x[at] = one();
      y[at] = x[at] + one();
    }
  }
  Options host{.axes = Axes(axis)};
  Options device = host;
  device.device = cuda();
  const ArrayRef left(x.data(), f32, shape), right(y.data(), f32, shape);
  const std::string flaws = text_of(fold(ops, left, right, device), fold(ops, left, right, host));
  return flaws + text_of(fold(ops, left, right, device),
                         fold(ops, left, right, host));  // all bits were cleared
}

// Fewer undecided answers than blocks, of which some answers then have several.
TEST(SimulatedUndecidedPairs, AreSharedAmongBlocks) {
  control().flaws = "";
  for (int undecided = 0; undecided <= 3; ++undecided) {
    EXPECT_EQ(far_flaws("corr,cov,slope,intercept", {3, 3000}, 1, undecided), "") << undecided;
    EXPECT_EQ(far_flaws("corr,cov,slope,intercept", {3000, 3}, 0, undecided), "") << undecided;
  }
  EXPECT_EQ(control().flaws, "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedPairs, testing::ValuesIn(requests), in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
