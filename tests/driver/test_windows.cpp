// Windows on the simulated device give the processor's bits.
#include "driver/requests.hpp"
#include "expect_error.hpp"
#include "gpu/windows.hpp"
#include "scaled.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class SimulatedWindows : public Requests {};

TEST_P(SimulatedWindows, GiveTheBitsOfTheProcessor) {
  control().flaws = "";
  for (uint64_t seed = 0; seed < test::scaled(40u); ++seed) {
    const Size n = seed % 8 == 7 ? 4'000 : 400;
    ASSERT_EQ(window_flaws(GetParam().ops, GetParam().dtype, seed, n, 40'000), "");
  }
  EXPECT_EQ(control().flaws, "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedWindows,
                         testing::Values(FoldCase{"sum", f64}, FoldCase{"sum,mean,max", f32},
                                         FoldCase{"var", f32}, FoldCase{"argmin", i32},
                                         FoldCase{"mean", bf16}),
                         in_words<FoldCase>);

class SimulatedWideWindows : public Requests {};

// Narrower ones than 8 elements, and wider ones than half a tile.
TEST_P(SimulatedWideWindows, GiveTheBitsOfTheProcessor) {
  control().flaws = "";
  for (uint64_t seed = 0; seed < 5; ++seed) {
    ASSERT_EQ(window_flaws(GetParam().ops, GetParam().dtype, seed, 4'000, 1, false,
                           seed == 0 ? 5 : 500 + 217 * seed),
              "");
  }
  EXPECT_EQ(control().flaws, "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedWideWindows,
                         testing::Values(FoldCase{"sum", f64}, FoldCase{"sum,mean,max", f32},
                                         FoldCase{"var", f32}, FoldCase{"mean", bf16}),
                         in_words<FoldCase>);

class SimulatedWindowsOfPairs : public Requests {};

TEST_P(SimulatedWindowsOfPairs, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < test::scaled(20u); ++seed) {
    ASSERT_EQ(window_flaws(GetParam().ops, GetParam().dtype, seed, 300, 20'000, true), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedWindowsOfPairs,
                         testing::Values(FoldCase{"cov,corr,slope", f32}, FoldCase{"corr,mae", i16},
                                         FoldCase{"slope", i64}),
                         in_words<FoldCase>);

class SimulatedWindowQuantiles : public Requests {};

TEST_P(SimulatedWindowQuantiles, GiveTheBitsOfTheProcessor) {
  control().flaws = "";
  for (uint64_t seed = 0; seed < test::scaled(40u); ++seed) {
    const Size n = seed % 8 == 7 ? 1'500 : 120;
    ASSERT_EQ(window_flaws("quantile", GetParam().dtype, seed, n, 20'000), "");
  }
  EXPECT_EQ(control().flaws, "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedWindowQuantiles,
                         testing::Values(FoldCase{"quantile", f64}, FoldCase{"quantile", bf16}),
                         in_words<FoldCase>);

// As tests of segments have it: what is bad is refused, or has a status where answers stay there.
TEST(SimulatedWindows, OfBadListsThereAreRefused) {
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
    const std::string why =
        window + " ends before it begins, or lies outside its axis, which has 4";
    expect_error(ErrorCode::bad_option, {"sum: ", why.c_str()}, [&] { fold(request); });
    expect_error(ErrorCode::bad_option, {why.c_str()}, [&] {
      quantile_windows(x, there.windows(), std::vector<Quantile>{Quantile{}}, options);
    });
  };
  check({0, 3, 1}, {2, 2, 4}, "window 1");
  check({0, 0}, {5, 1}, "window 0");
  check({0, -1, 0}, {1, 2, 4}, "window 1");
}

TEST(SimulatedWindows, OfListsThereAreFoldedThere) {
  jit::Gpu gpu;
  std::mt19937_64 r(1);
  const std::vector<double> x{1, 2, 4, 8};
  const WindowLists lists(r, 4, 4);
  const ListsThere there(gpu, lists, false), narrow(gpu, lists, true);
  Windows windows = there.windows();
  expect_error(ErrorCode::bad_option, {".begin or .end of windows is on another device"}, [&] {
    fold({.ops = "sum", .x = x, .options = {.device = cpu}, .windows = windows});
  });
  windows.end = narrow.windows().end;
  expect_error(ErrorCode::type_mismatch, {"begin is i64 and end is i32"}, [&] {
    fold({.ops = "sum", .x = x, .options = {.device = cuda()}, .windows = windows});
  });
}

TEST(SimulatedWindows, OfOtherScansAreRefused) {
  const std::vector<float> x(10);
  Request request{.ops = "max", .x = x, .windows = Windows{}};
  request.options.device = cuda();
  expect_error(ErrorCode::unsupported, {"max", "a device supports only scans of sum and mean"},
               [&] { fold(request); });
}

}  // namespace ONEFOLD_FILE
