// Keys on a device get the numbers of a sorted list, and groups the processor's bits. Label gpu.
#include <numeric>

#include "gpu/keys.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuKeys : public testing::TestWithParam<DType> {};

TEST_P(GpuKeys, AreNumberedInAscendingOrder) {
  SKIP_WITHOUT_DEVICE();
  constexpr Size lengths[] = {0, 1, 50'000, 300'000};
  for (uint64_t seed = 0; seed < 28; ++seed) {
    ASSERT_EQ(
        key_flaws(seed % 2 == 0 ? "sum,mean" : "max", GetParam(), f32, seed, lengths[seed % 4]),
        "");
  }
}

// A first table is too small, and the second has room.
TEST(GpuKeysOfManyGroups, NeedALargerTable) {
  SKIP_WITHOUT_DEVICE();
  const Size n = 6'000'001;
  std::vector<int64_t> keys(n);
  for (Size i = 0; i < n; ++i) keys[i] = static_cast<int64_t>(i * 4'999'999 % n) * 1'000'003;
  for (int repeats = 0; repeats < 2; ++repeats) {
    const NumberedKeys found("sum", keys, {.device = cuda()});
    ASSERT_EQ(found.size(), n);
    const auto [names, labels] = Numbering<int64_t>(found, n);
    for (Size i = 0; i < n; ++i) {
      ASSERT_EQ(names[i], static_cast<int64_t>(i) * 1'000'003);
      ASSERT_EQ(names[static_cast<Size>(labels[i])], keys[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuKeys,
                         testing::Values(DType::boolean, DType::i8, DType::u8, DType::i16,
                                         DType::u16, i32, DType::u32, i64, DType::u64, f16, bf16,
                                         f32, f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
