// Folds by labels on a device give the processor's bits. Label gpu.
#include "expect_error.hpp"
#include "gpu/queued_labels.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuLabels : public testing::TestWithParam<DType> {};

TEST_P(GpuLabels, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  constexpr Size lengths[] = {0, 1, 50'000, 1'500'000};
  for (const char* ops : {"sum,mean", "max", "count_nonzero", "var", "mean,rms"}) {
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
  const std::vector<float> x(n, 0.5f);
  for (const std::string op : {"sum", "max"}) {  // added in tables and in memory; sorted
    for (const Size groups : {Size{1000}, Size{100'000}}) {
      for (const int64_t wrong :
           {int64_t{-1}, static_cast<int64_t>(groups), int64_t{1} << 40, int64_t{1} << 63}) {
        std::vector<int64_t> labels(n, 2);
        labels[432'100] = labels[999'999] = wrong;
        const std::string message = op + ": label 432100 is " + std::to_string(wrong);
        expect_error(ErrorCode::bad_option, {message.c_str()}, [&] {
          fold_by(op, labels, x, {.groups = groups, .options = {.device = cuda()}});
        });
      }
    }
  }
}

TEST(GpuDeferredLabels, AnswerOnAStreamAndInAGraph) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  for (const Size groups : {50, 40'000}) {
    EXPECT_EQ(queued_label_flaws<float>(gpu, "sum,mean", f32, 500'000, groups), "");
    EXPECT_EQ(queued_label_flaws<float>(gpu, "mean,var", f32, 500'000, groups), "");
    EXPECT_EQ(queued_label_flaws<float>(gpu, "max", f32, 500'000, groups), "");
    EXPECT_EQ(queued_label_flaws<double>(gpu, "sum", f64, 500'000, groups), "");
  }
}

// These are more elements than a launch gathers.
TEST(GpuLabelSums, OfManyElementsTakeSeveralLaunches) {
  SKIP_WITHOUT_DEVICE();
  const Size n = 150'000'001;
  std::vector<bfloat16> x(n);
  std::vector<uint8_t> labels(n);
  for (Size i = 0; i < n; ++i) {
    x[i].bits = static_cast<uint16_t>(0x3c00 + (i * 2654435761u >> 20 & 0x83ff));  // 2^-7 to 2
    labels[i] = static_cast<uint8_t>(i * 40503u >> 8 & 3);
  }
  const Labels here{.groups = 4, .options = {}}, there{.groups = 4, .options = {.device = cuda()}};
  EXPECT_EQ(text_of(fold_by("sum,mean", labels, x, there), fold_by("sum,mean", labels, x, here)),
            "");
}

INSTANTIATE_TEST_SUITE_P(Types, GpuLabels,
                         testing::Values(f64, f32, f16, bf16, i64, i32, u8, DType::boolean),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
