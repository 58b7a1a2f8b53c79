// Windows on a device give the processor's bits. Label gpu.
#include "expect_error.hpp"
#include "gpu/windows.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuWindows : public testing::TestWithParam<DType> {};

TEST_P(GpuWindows, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (const char* ops : {"sum", "mean", "var,std", "mean,min,max", "argmax", "count"}) {
    for (uint64_t seed = 0; seed < 24; ++seed) {
      const Size n = seed % 8 == 7 ? 200'000 : seed % 4 == 3 ? 40'000 : 3'000;
      ASSERT_EQ(window_flaws(ops, GetParam(), seed, n, 40'000'000, false, 0, true), "");
    }
  }
}
TEST_P(GpuWindows, OfPairsGiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (uint64_t seed = 0; seed < 16; ++seed) {
    ASSERT_EQ(window_flaws("cov,corr", GetParam(), seed, 3'000, 300'000, true, 0, true), "");
  }
}
TEST_P(GpuWindows, HaveTheQuantilesOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  if (!is_floating(GetParam())) return;
  for (uint64_t seed = 0; seed < 24; ++seed) {
    const Size n = seed % 8 == 7 ? 200'000 : seed % 4 == 3 ? 40'000 : 3'000;
    ASSERT_EQ(window_flaws("quantile", GetParam(), seed, n, 4'000'000, false, 0, true), "");
  }
}

// As tests of segments have it: what is bad is refused, or has a status where answers stay there.
TEST(GpuWindowLists, AreRefusedIfTheyAreBad) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  std::mt19937_64 r(1);
  const std::vector<double> x{1, 2, 4, 8};
  WindowLists lists(r, 4, 4);
  const auto check = [&](std::vector<int64_t> begins, std::vector<int64_t> ends,
                         const std::string& window) {
    lists.begins = std::move(begins);
    lists.ends = std::move(ends);
    const ListsThere there(gpu, lists, false);
    Options options{.device = cuda()};
    const Request request{.ops = "sum", .x = x, .options = options, .windows = there.windows()};
    const std::string why = window + " ends before it begins, or leaves its axis, which has 4";
    expect_error(ErrorCode::bad_option, {"sum: ", why.c_str()}, [&] { fold(request); });
    expect_error(ErrorCode::bad_option, {why.c_str()}, [&] {
      quantile_windows(x, there.windows(), std::vector<Quantile>{Quantile{}}, options);
    });
  };
  check({0, 3, 1}, {2, 2, 4}, "window 1");
  check({0, 0}, {5, 1}, "window 0");
  check({0, -1, 0}, {1, 2, 4}, "window 1");
}

INSTANTIATE_TEST_SUITE_P(Types, GpuWindows,
                         testing::Values(f64, f32, f16, bf16, i64, i32, u8, DType::boolean),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
