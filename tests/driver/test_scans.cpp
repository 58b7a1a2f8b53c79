// Scans on the simulated device give the processor's bits.
#include "driver/requests.hpp"
#include "gpu/scans.hpp"
#include "scaled.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class SimulatedScans : public Requests {};

TEST_P(SimulatedScans, GiveTheBitsOfTheProcessor) {
  control().flaws = "";
  for (uint64_t seed = 0; seed < test::scaled(40u); ++seed) {
    const Size n = seed % 8 == 7 ? 40'000 : 3'000;
    ASSERT_EQ(scan_flaws(GetParam().ops, GetParam().dtype, seed, n), "");
  }
  EXPECT_EQ(control().flaws, "");
}

TEST_P(SimulatedScans, BeginAnewAtOffsets) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const Size most[] = {3, 40, 700, 2'000};
    ASSERT_EQ(segmented_scan_flaws(GetParam().ops, GetParam().dtype, seed, 3'000, most[seed % 4]),
              "");
  }
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedScans,
                         testing::Values(FoldCase{"sum", f32}, FoldCase{"sum", f64},
                                         FoldCase{"sum", bf16}, FoldCase{"sum", f16},
                                         FoldCase{"sum", i64}, FoldCase{"sum", u64},
                                         FoldCase{"sum", i32}, FoldCase{"sum", i8},
                                         FoldCase{"sum", DType::boolean}, FoldCase{"mean", f32},
                                         FoldCase{"sum,mean", f64}, FoldCase{"mean", i32}),
                         in_words<FoldCase>);

TEST(SimulatedScansOfOtherTypes, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    ASSERT_EQ(scan_flaws("sum", f32, seed, 3'000, f64), "");
    ASSERT_EQ(scan_flaws("sum", f32, seed, 3'000, bf16), "");
  }
}

TEST(SimulatedScansOnAStream, MayBeReplayed) {
  jit::Gpu gpu;
  EXPECT_EQ(queued_scan_flaws(gpu, 9'000), "");
}

}  // namespace ONEFOLD_FILE
