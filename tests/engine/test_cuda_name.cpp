// Device names compile next to a namespace called cuda, which libcu++ has.
#include <gtest/gtest.h>

#include "onefold/onefold.hpp"

namespace cuda {
struct stream_ref {
  int id = 3;
};
}  // namespace cuda

using namespace onefold;

TEST(CudaName, StandsBesideANamespaceOfThatName) {
  EXPECT_EQ(cuda::stream_ref().id, 3);
  EXPECT_EQ(cuda_device(), (Device{Device::Type::cuda, 0}));
  EXPECT_EQ(cuda_device(2), onefold::cuda(2));
  const Options options{.device = cuda_device(99)};
  EXPECT_THROW(fold("sum", std::vector{1.0}, options), Error);
}
