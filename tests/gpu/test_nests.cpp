// 10^4 folds of random nests, pairs, masks and types on a device give the processor's bits. Ops are
// those of the other tests, so that kernels are compiled only once. Label gpu.
#include "gpu/masks.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

constexpr int shards = 40;
constexpr uint64_t folds_of_shard = 250;

class GpuNests : public testing::TestWithParam<int> {};

TEST_P(GpuNests, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  constexpr DType types[] = {f64, f32, f16, bf16, i64, i32, u8, DType::boolean};
  constexpr const char* single[] = {"sum",           "mean,max",         "var", "norm2", "argmin",
                                    "count_nonzero", "sum,max,count_nan"};
  constexpr const char* pairs[] = {
      "mse,rmse,distance",   "mae,max_abs_diff", "cov,corr,slope,intercept",
      "total_var,total_std", "cosine",           "average"};
  const auto shard = static_cast<uint64_t>(GetParam());
  // A shard has one type, so that shards compile different kernels.
  const DType type = types[shard % std::size(types)];
  std::mt19937_64 r(1000 + shard);
  for (uint64_t k = 0; k < folds_of_shard; ++k) {
    const bool two = r() % 2 == 0, masked = r() % 2 == 0;
    const std::string ops = two ? pairs[r() % std::size(pairs)] : single[r() % std::size(single)];
    const int64_t most = r() % 8 == 0 ? 60'000 : r() % 2 == 0 ? 8'000 : 300;
    const uint64_t seed = r();
    ASSERT_EQ(masked ? random_masked_flaws(ops, type, seed, most, two, ops == "sum")
                     : random_flaws(ops, type, seed, most, two),
              "");
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, GpuNests, testing::Range(0, shards));

}  // namespace ONEFOLD_FILE
