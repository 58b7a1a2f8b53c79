// The golden hash with a device, which answers the folds that tests/golden draws. Label gpu.
#include "golden/device.hpp"
#include "gpu/device.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

// Ops that share kernels, so that fewer are compiled.
constexpr const char* groups[] = {"sum,mean",
                                  "norm2,rms,sumsq",
                                  "var,std",
                                  "max,min,ptp",
                                  "argmax,argmin",
                                  "count,count_inf,count_nan",
                                  "all,any",
                                  "mse,rmse,distance",
                                  "count_zero,count_nonzero",
                                  "cosine,average",
                                  "mae,max_abs_diff",
                                  "cov,corr,slope,intercept",
                                  "total_var,total_std"};

// Returns an op's hashes; the device answers those folds for which `takes` returns true.
template <class F>
golden::Hashes hashes(const std::string& op, int folds, golden::OnDevice& device, const F& takes) {
  std::vector<golden::Request> requests;
  for (const char* group : groups) {
    if (golden::has(group, op)) requests.emplace_back(group);
  }
  requests.push_back(op);  // used if another op of the group refuses the fold
  return golden::hashes_of(op, folds, [&](const golden::Drawn& f) {
    return takes(f) ? device.answer(f, requests, [] { return false; })
                    : f.answers(f.op, f.options)[f.op];
  });
}

class GpuGolden : public testing::TestWithParam<DType> {};

TEST_P(GpuGolden, IsTheHashOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  const auto expected = golden::read(ONEFOLD_GOLDEN_HASHES);
  for (const std::string_view name : op_names()) {
    const std::string op(name);
    golden::OnDevice device;
    const golden::Hashes h = hashes(op, golden::first_folds, device,
                                    [](const golden::Drawn& f) { return f.type == GetParam(); });
    EXPECT_EQ(golden::hex(h.first), expected.at(op)[0]) << op;
    EXPECT_GE(device.taken, 150) << op;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuGolden, testing::ValuesIn(golden::types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// All types; after GpuGolden most kernels are on disk.
class GpuGoldenMillion : public testing::TestWithParam<std::string_view> {};

TEST_P(GpuGoldenMillion, HasTheHashOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  const auto expected = golden::read(ONEFOLD_GOLDEN_HASHES);
  const std::string op(GetParam());
  golden::OnDevice device;
  const golden::Hashes h =
      hashes(op, golden::all_folds, device, [](const golden::Drawn&) { return true; });
  EXPECT_EQ(golden::hex(h.first), expected.at(op)[0]);
  EXPECT_EQ(golden::hex(h.all), expected.at(op)[1]);
  EXPECT_GE(device.taken, 25'000);
  RecordProperty("folds_of_the_device", static_cast<int>(device.taken));
}

INSTANTIATE_TEST_SUITE_P(Ops, GpuGoldenMillion, testing::ValuesIn(op_names()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace ONEFOLD_FILE
