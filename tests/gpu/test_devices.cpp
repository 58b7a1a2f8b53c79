// Two devices of one process. Label gpu; skipped where there is only one.
#include "gpu/two_devices.hpp"

namespace ONEFOLD_FILE {

using namespace onefold::test;

#define SKIP_WITHOUT_TWO_DEVICES() \
  SKIP_WITHOUT_DEVICE();           \
  if (onefold::jit::Driver::get().devices() < 2) GTEST_SKIP() << "there is one device"

TEST(GpuDevices, FoldTheirOwnMemory) {
  SKIP_WITHOUT_TWO_DEVICES();
  expect_devices_fold_their_own_memory();
}
TEST(GpuDevices, LeaveTheCallersCurrent) {
  SKIP_WITHOUT_TWO_DEVICES();
  expect_the_callers_device_stays();
}
TEST(GpuDevices, ShareDataOfTheHost) {
  SKIP_WITHOUT_TWO_DEVICES();
  expect_devices_share_data_of_the_host("mean,var,argmin,max", 5'000'077);  // 3 pieces
}
TEST(GpuDevices, HoldPartsOfOneArray) {
  SKIP_WITHOUT_TWO_DEVICES();
  expect_parts_are_one_array();
}
TEST(GpuDevices, FoldAtOnce) {
  SKIP_WITHOUT_TWO_DEVICES();
  expect_devices_fold_at_once(200);
}

}  // namespace ONEFOLD_FILE
