// Keys on the simulated device get the numbers of a sorted list, and groups the processor's bits.
#include "driver/requests.hpp"
#include "expect_error.hpp"
#include "gpu/keys.hpp"
#include "onefold/cuda/key_table.hpp"
#include "onefold/engine/plan/query.hpp"
#include "scaled.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class SimulatedKeys : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override { control().flaws = ""; }
  void TearDown() override { EXPECT_EQ(control().flaws, ""); }
  const Deferred deferred_;
};

TEST_P(SimulatedKeys, AreNumberedInAscendingOrder) {
  constexpr Size lengths[] = {1, 700, 2'500, 0};
  for (uint64_t seed = 0; seed < test::scaled(16u); ++seed) {
    ASSERT_EQ(key_flaws("sum", GetParam(), f32, seed, lengths[seed % 4]), "");
  }
}

TEST(SimulatedKeysOfManyGroups, AreSortedByTilesThatAreMerged) {
  control().flaws = "";
  jit::Gpu gpu;
  const Size n = 70'000;  // 17 tiles and a part: three steps of the sort at once, and one
  std::vector<int64_t> keys;
  for (Size i = 0; i < n; ++i) keys.push_back(static_cast<int64_t>(i * 7919 % n) - 35'000);
  const NumberedKeys found("sum", keys, {.device = cuda()});
  ASSERT_EQ(found.size(), n);
  const auto [names, labels] = Numbering<int64_t>(found, n);
  for (Size i = 0; i < n; ++i) {
    ASSERT_EQ(names[i], static_cast<int64_t>(i) - 35'000);
    ASSERT_EQ(labels[i], keys[i] + 35'000);
  }
  EXPECT_EQ(control().flaws, "");
}

// Each of two tables is too small: of 2,048 and of 32,768 slots.
TEST(SimulatedKeysOfATableThatIsFull, GetALargerOne) {
  control().flaws = "";
  jit::Gpu gpu;
  const Size n = 18'000;
  std::vector<uint32_t> keys;
  for (Size i = 0; i < n; ++i) keys.push_back(static_cast<uint32_t>(i * 7919 % n) * 4096 + 5);
  const ArrayRef array(keys.data(), DType::u32, Dims(n));
  const onefold::Query query("sum", {.device = cuda()});
  const cuda_backend::KeyTable found(query.plan(array), array, 0, 2048);
  ASSERT_EQ(found.size(), n);
  std::vector<uint32_t> names(n);
  found.write_keys(names.data());
  std::vector<int32_t> labels(n);
  found.copy_numbers(labels.data());
  for (Size i = 0; i < n; ++i) {
    ASSERT_EQ(names[i], i * 4096 + 5);
    ASSERT_EQ(names[static_cast<Size>(labels[i])], keys[i]);
  }
  EXPECT_EQ(control().flaws, "");
}

TEST(SimulatedKeysOfTwoAxes, AreRefused) {
  const std::vector<int32_t> keys(6);
  expect_error(ErrorCode::shape_mismatch, {"sum: the keys have shape (2, 3)"}, [&] {
    NumberedKeys("sum", ArrayRef(keys.data(), i32, Dims(2, 3)), {.device = cuda()});
  });
}

TEST(SimulatedKeysOnAProcessor, AreRefused) {
  const std::vector<int32_t> keys(6);
  expect_error(ErrorCode::bad_option, {"sum: keys can be numbered only on one CUDA device"},
               [&] { NumberedKeys("sum", keys, {.device = cpu}); });
}

TEST(SimulatedKeysThatAreFloats, AreRefusedWhereTheyMayBeValues) {
  const std::vector<float> keys(6), x(6);
  expect_error(ErrorCode::bad_option, {"sum: the keys are f32, but must be integers or bools"},
               [&] { fold_by("sum", keys, x, {.device = cuda()}); });
}

INSTANTIATE_TEST_SUITE_P(Types, SimulatedKeys,
                         testing::Values(DType::boolean, DType::i8, DType::u8, DType::i16,
                                         DType::u16, i32, DType::u32, i64, DType::u64, f16, bf16,
                                         f32, f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
