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
TEST_F(SimulatedDevices, LeaveTheCallersCurrent) { expect_the_callers_device_stays(); }
TEST_F(SimulatedDevices, FoldAtOnce) { expect_devices_fold_at_once(50); }

}  // namespace
