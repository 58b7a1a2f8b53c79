// Requests of any kind give the processor's bits on a device. Label gpu.
#include "gpu/any_request.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

// A seed is a set of ops of a type, which takes seconds to compile.
class GpuRequests : public testing::TestWithParam<uint64_t> {};

TEST_P(GpuRequests, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (uint64_t k = 0; k < 10; ++k) ASSERT_EQ(any_request_flaws(10 * GetParam() + k, 20'000), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, GpuRequests, testing::Range(uint64_t{0}, uint64_t{40}));

}  // namespace ONEFOLD_FILE
