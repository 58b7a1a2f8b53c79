#include "cuda/kernel/kernels.hpp"

namespace onefold::test {

std::vector<Kernel> f32_kernels() { return kernels_of<float>(); }

}  // namespace onefold::test
