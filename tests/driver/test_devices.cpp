// Two simulated devices of one process.
#include "driver/device.hpp"
#include "gpu/two_devices.hpp"
#include "onefold/engine/backend/run.hpp"

namespace ONEFOLD_FILE {

using namespace onefold::test;

class SimulatedDevices : public testing::Test {
 protected:
  void SetUp() override { control().devices = 2; }
  void TearDown() override { EXPECT_EQ(control().flaws, ""); }
};

TEST_F(SimulatedDevices, FoldTheirOwnMemory) { expect_devices_fold_their_own_memory(); }
// Without a given device, the device that holds the data folds; for host data the processor.
TEST_F(SimulatedDevices, FoldWhatTheyHoldUnasked) {
  const Holder first(0, 0.5), second(1, 0.25);
  using onefold::ErrorCode;
  onefold::ArrayRef x = second.ref(), y = first.ref();
  x.device = onefold::cuda(1);
  EXPECT_EQ(sum_of(x, {}), std::pair(250.0, ErrorCode::ok));
  EXPECT_EQ(sum_of(x, {.device = onefold::cuda(0)}), std::pair(0.0, ErrorCode::bad_option));
  EXPECT_EQ(sum_of(x, {.device = onefold::cpu}), std::pair(0.0, ErrorCode::bad_option));
  y.device = onefold::cuda(1);  // this device does not exist
  EXPECT_EQ(sum_of(y, {}), std::pair(0.0, ErrorCode::bad_option));
  const std::vector<double> host(100, 1.5);
  const long calls = control().calls;
  EXPECT_EQ(sum_of(host, {}), std::pair(150.0, ErrorCode::ok));
  EXPECT_EQ(control().calls, calls);
}

TEST_F(SimulatedDevices, LeaveTheCallersCurrent) { expect_the_callers_device_stays(); }
TEST_F(SimulatedDevices, ShareDataOfTheHost) {
  expect_devices_share_data_of_the_host("sum", 20077);
}
// For files and tables, nests may have other shapes and other numbers of states than their plan.
TEST_F(SimulatedDevices, AskTheNestWhichAnswersThereAre) {
  using namespace onefold;
  std::vector<double> x(30 * 7);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * i % 1000) + 0.5;
  const auto states = [&](Device d) {
    const auto plan_of = [&](int64_t columns, std::ptrdiff_t step) {
      const ArrayRef array(&x[step < 0 ? 6 : 0], f64, {30, columns}, {7 * 8, step * 8});
      return backend::checked(make_plan("sum", array, nullptr, {.axes = {0}, .device = d}));
    };
    std::vector<std::vector<int64_t>> all;
    for (const std::ptrdiff_t step : {1, -1}) {
      for (const Plan& plan : {plan_of(2, 1), plan_of(7, 1), plan_of(30, 0)}) {
        Nest nest = plan_of(5, step).nest;
        nest.answer += 2;
        const auto words = static_cast<std::size_t>(plan.layout.words);
        std::vector<int64_t>& found = all.emplace_back(7 * words);
        for (std::size_t k = 0; k < 7; ++k) clear(&found[k * words], plan.layout, f64);
        backend::gather(plan, nest, &x[step < 0 ? 6 : 0], nullptr, found.data());
      }
    }
    return all;
  };
  EXPECT_EQ(states(cuda({0, 1})), states(cpu));
}
TEST_F(SimulatedDevices, HoldPartsOfOneArray) { expect_parts_are_one_array(); }
TEST_F(SimulatedDevices, FoldAtOnce) { expect_devices_fold_at_once(50); }

}  // namespace ONEFOLD_FILE
