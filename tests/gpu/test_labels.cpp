// Folds by labels on a device: the same bits as the processor gives. Label gpu.
#include "expect_error.hpp"
#include "gpu/labels.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

class GpuLabels : public testing::TestWithParam<DType> {};

TEST_P(GpuLabels, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  constexpr Size lengths[] = {0, 1, 50'000, 1'500'000};
  for (const char* ops : {"sum,mean", "max", "count_nonzero", "var"}) {
    for (uint64_t seed = 0; seed < 24; ++seed) {
      ASSERT_EQ(label_flaws(ops, GetParam(), seed, lengths[seed % 4]), "");
    }
  }
}

TEST(GpuLabelsOfOtherTypes, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (uint64_t seed = 0; seed < 8; ++seed) {
    ASSERT_EQ(label_flaws("sum,var", f64, seed, 100'000, f32), "");
  }
}

TEST(GpuLabelsOfNoGroup, AreOneErrorAndLeadNowhere) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  const Size n = 1'000'000;
  const std::vector<double> x(n, 0.5);
  for (const Size groups : {Size{1000}, Size{100'000}}) {
    for (const int64_t wrong :
         {int64_t{-1}, static_cast<int64_t>(groups), int64_t{1} << 40, int64_t{1} << 63}) {
      std::vector<int64_t> labels(n, 2);
      labels[432'100] = labels[999'999] = wrong;
      const std::string message = "sum: label 432100 is " + std::to_string(wrong);
      expect_error(ErrorCode::bad_option, {message.c_str()}, [&] {
        fold_by("sum", labels, x, {.groups = groups, .options = {.device = cuda()}});
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuLabels,
                         testing::Values(f64, f32, f16, bf16, i64, i32, u8, DType::boolean),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
