// Chooses the processor or a device, whichever folds host data faster.
#include <gtest/gtest.h>

#include "api/quicker_device.hpp"

namespace {

using namespace onefold;

constexpr Size large = Size{64} << 30;

TEST(QuickerDevice, GoesByTheRates) {
  const QuickerDevice here = quicker_device(large, HostRates{172e9, 51.24e9});
  EXPECT_EQ(here.device, cpu);
  EXPECT_EQ(here.why,
            "measured here, data of the host: the processor folds 172 GB/s, devices 51.2 GB/s");
  EXPECT_EQ(quicker_device(large, HostRates{22e9, 51e9}).device, cuda_all());
}
TEST(QuickerDevice, IsTheProcessorForWhatIsDoneSoon) {
  const QuickerDevice little = quicker_device(80, HostRates{1e9, 51e9});
  EXPECT_EQ(little.device, cpu);
  EXPECT_EQ(little.why, "the processor is done with 80 bytes before a device is open");
}
TEST(QuickerDevice, IsTheProcessorWhereThereIsNoDevice) {
  const QuickerDevice alone = quicker_device(large, HostRates{22e9, 0});
  EXPECT_EQ(alone.device, cpu);
  EXPECT_EQ(alone.why, "there is no device of CUDA");
}
TEST(HostRates, AreMeasured) {
  const HostRates rates = measure_rates(1 << 20, 1);
  EXPECT_GT(rates.processor, 1e6);
  EXPECT_GE(rates.devices, 0);
}

}  // namespace
