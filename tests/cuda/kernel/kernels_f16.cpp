#include "cuda/kernel/kernels.hpp"

namespace onefold::test {

std::vector<Kernel> f16_kernels() { return kernels_of<float16>(); }

}  // namespace onefold::test
