// Folds by labels on the simulated device give the processor's bits; a label that is no group's
// number makes no kernel access other memory.
#include "driver/requests.hpp"
#include "expect_error.hpp"
#include "gpu/labels.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

constexpr FoldCase requests[] = {{"sum", f64},
                                 {"sum,mean,max", f32},
                                 {"var", f32},
                                 {"sum", f32},
                                 {"sum,mean,count", f32},
                                 {"mean", bf16},
                                 {"sum", f16},
                                 {"sum,mean", i32},
                                 {"sum", DType::boolean},
                                 {"count", u8},
                                 {"mean,var", f32},
                                 {"var", bf16},
                                 {"sum,sumsq", f16},
                                 {"var", i32},
                                 {"std,norm2", u8}};

class SimulatedLabels : public Requests {
  const Deferred deferred_;
};

TEST_P(SimulatedLabels, GiveTheBitsOfTheProcessor) {
  constexpr Size lengths[] = {0, 1, 700, 6'000, 20'000};
  // A variance that exact words answer takes the simulated machine 10 ms for each element.
  const bool slow = GetParam().ops[0] == 'v';
  for (uint64_t seed = 0; seed < (slow ? 6 : 20); ++seed) {
    const Size n = std::min<Size>(lengths[seed % 5], slow ? 700 : 20'000);
    ASSERT_EQ(label_flaws(GetParam().ops, GetParam().dtype, seed, n), "");
  }
}

// Ops without totals use exact words.
TEST(SimulatedLabelsOfOtherTypes, GiveTheBitsOfTheProcessor) {
  control().flaws = "";
  for (uint64_t seed = 0; seed < 4; ++seed) {
    ASSERT_EQ(label_flaws("sum", f64, seed, 300, f32), "");
  }
  EXPECT_EQ(control().flaws, "");
}

TEST(SimulatedLabelsOfNoGroup, AreOneErrorAndLeadNowhere) {
  control().flaws = "";
  jit::Gpu gpu;
  const Size n = 5000;
  const std::vector<double> x(n, 0.5);
  const DeviceBytes here(gpu, n * 8), at(gpu, n * 8), out(gpu, 4000 * 8), status(gpu, 4000);
  here.write(x);
  const ArrayRef array(here.data(), f64, Dims(n));
  for (const Size groups : {Size{3}, Size{4000}}) {
    for (const int64_t wrong :
         {int64_t{-1}, static_cast<int64_t>(groups), int64_t{1} << 40, int64_t{1} << 63}) {
      std::vector<int64_t> labels(n, 2);
      labels[4321] = labels[4999] = wrong;
      at.write(labels);
      const ArrayRef numbers(at.data(), i64, Dims(n));
      const std::vector<double> before(groups, -7);
      out.write(before);
      const OutputRef to(out.data(), f64, Dims(groups), reinterpret_cast<Status*>(status.data()));
      const Labels how{.groups = groups, .options = {.device = cuda()}};
      const std::string message = "sum: label 4321 is " + std::to_string(wrong);
      expect_error(ErrorCode::bad_option, {message.c_str()}, [&] {
        fold(
            {.ops = "sum", .x = array, .options = how.options, .labels = numbers, .groups = groups},
            {&to, 1});
      });
      EXPECT_EQ(out.read<double>(groups), before);
      expect_error(ErrorCode::bad_option, {message.c_str()},
                   [&] { fold_by("sum", labels, x, how); });
    }
  }
  EXPECT_EQ(control().flaws, "");
}

TEST(SimulatedLabelsOnTheDevice, AnswerThere) {
  control().flaws = "";
  jit::Gpu gpu;
  const DeviceBytes here(gpu, 40), at(gpu, 5), out(gpu, 32), status(gpu, 4);
  here.write(std::vector<double>{1, 2, 4, 8, 16});
  at.write(std::vector<uint8_t>{3, 0, 3, 1, 0});
  const ArrayRef array(here.data(), f64, Dims(5)), labels(at.data(), DType::u8, Dims(5));
  const OutputRef to(out.data(), f64, Dims(4), reinterpret_cast<Status*>(status.data()));
  const Labels how{.groups = 4, .options = {.device = cuda()}};
  const Request request{
      .ops = "sum", .x = array, .options = how.options, .labels = labels, .groups = 4};
  fold(request, {&to, 1});
  EXPECT_EQ(out.read<double>(4), (std::vector<double>{18, 8, 0, 5}));
  const OutputRef wrong(out.data(), f64, Dims(3), reinterpret_cast<Status*>(status.data()));
  expect_error(ErrorCode::shape_mismatch, {"(4,)"}, [&] { fold(request, {&wrong, 1}); });
  const std::vector<uint8_t> host{3, 0, 3, 1, 0};
  expect_error(ErrorCode::bad_option, {"the labels are on the host; copy one of them"},
               [&] { fold_by("sum", host, array, how); });
  EXPECT_EQ(control().flaws, "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedLabels, testing::ValuesIn(requests),
                         in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
