// Two simulated devices of one process.
#include "driver/device.hpp"
#include "gpu/two_devices.hpp"

namespace {

using namespace onefold::test;

class SimulatedDevices : public testing::Test {
 protected:
  void SetUp() override { control().devices = 2; }
  void TearDown() override { EXPECT_EQ(control().flaws, ""); }
};

TEST_F(SimulatedDevices, FoldTheirOwnMemory) { expect_devices_fold_their_own_memory(); }
// No device is asked for: the one that holds the data, and for data of the host the processor.
TEST_F(SimulatedDevices, FoldWhatTheyHoldUnasked) {
  const Holder first(0, 0.5), second(1, 0.25);
  using onefold::ErrorCode;
  onefold::ArrayRef x = second.ref(), y = first.ref();
  x.device = onefold::cuda(1);
  EXPECT_EQ(sum_of(x, {}), std::pair(250.0, ErrorCode::ok));
  EXPECT_EQ(sum_of(x, {.device = onefold::cuda(0)}), std::pair(0.0, ErrorCode::bad_option));
  EXPECT_EQ(sum_of(x, {.device = onefold::cpu}), std::pair(0.0, ErrorCode::bad_option));
  y.device = onefold::cuda(1);  // it is not there
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
TEST_F(SimulatedDevices, FoldAtOnce) { expect_devices_fold_at_once(50); }

}  // namespace
