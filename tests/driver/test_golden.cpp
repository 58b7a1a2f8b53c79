// The golden hash with a simulated device, which answers all folds for which it has kernels.
#include "driver/device.hpp"
#include "golden/device.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

// The kernels that the simulated device has, with or without masks.
struct Kernels {
  const char* ops;
  DType type;
};
constexpr Kernels kernels[] = {{"sum", f64},
                               {"sum,mean,max", f32},
                               {"var", f32},
                               {"var", f64},
                               {"argmin", i32},
                               {"sum,min,count", i64},
                               {"sum", bf16},
                               {"any", DType::boolean},
                               {"count", f64},
                               {"min,max", f32},
                               {"dot", f64},
                               {"dot", f32},
                               {"dot", bf16},
                               {"dot", i32},
                               {"mse", f32},
                               {"rmse,mae,max_abs_diff", f32},
                               {"cov,corr,slope,intercept", f32},
                               {"average", f64},
                               {"max_abs_diff,slope", i32},
                               {"cosine,average", f32},
                               {"distance,mae", f64},
                               {"mse,corr", bf16},
                               {"rmse,max_abs_diff", f16}};

struct Case {
  const char* op;
  std::size_t least;  // the device answers at least so many of the first 3,000 folds
};

bool lacks_kernel() {
  const bool lacks = control().flaws.starts_with("no kernel");
  if (lacks) control().flaws.clear();
  return lacks;
}

// Returns how many folds the device answered.
std::size_t compare(const std::string& op, int folds) {
  const auto expected = golden::read(ONEFOLD_GOLDEN_HASHES);
  golden::OnDevice device;
  control().flaws = "";
  const golden::Hashes h = golden::hashes_of(op, folds, [&](const golden::Drawn& f) {
    std::vector<golden::Request> requests;
    for (const Kernels& k : kernels) {
      if (k.type == f.type && golden::has(k.ops, op)) requests.emplace_back(k.ops);
    }
    return device.answer(f, requests, lacks_kernel);
  });
  EXPECT_EQ(control().flaws, "");
  EXPECT_EQ(golden::hex(h.first), expected.at(op)[0]);
  if (folds == golden::all_folds) {
    EXPECT_EQ(golden::hex(h.all), expected.at(op)[1]);
  }
  return device.taken;
}

class SimulatedGolden : public testing::TestWithParam<Case> {};

TEST_P(SimulatedGolden, IsTheHashOfTheProcessor) {
  EXPECT_GE(compare(GetParam().op, golden::first_folds), GetParam().least);
}

class LongSimulatedGolden : public testing::TestWithParam<Case> {};

TEST_P(LongSimulatedGolden, IsTheHashOfTheProcessor) {
  EXPECT_GE(compare(GetParam().op, golden::all_folds), 8 * GetParam().least);
}

constexpr Case cases[] = {
    {"sum", 543},     {"mean", 99},          {"max", 97},     {"min", 165},
    {"var", 244},     {"argmin", 240},       {"any", 88},     {"count", 167},
    {"dot", 490},     {"mse", 497},          {"rmse", 466},   {"mae", 449},
    {"cov", 225},     {"max_abs_diff", 671}, {"corr", 440},   {"slope", 455},
    {"average", 458}, {"intercept", 241},    {"cosine", 215}, {"distance", 230}};

std::string name(const testing::TestParamInfo<Case>& info) { return info.param.op; }
INSTANTIATE_TEST_SUITE_P(Ops, SimulatedGolden, testing::ValuesIn(cases), name);
INSTANTIATE_TEST_SUITE_P(Ops, LongSimulatedGolden, testing::ValuesIn(cases), name);

}  // namespace ONEFOLD_FILE
