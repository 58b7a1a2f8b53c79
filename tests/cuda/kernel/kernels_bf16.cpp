#include "cuda/kernel/kernels.hpp"

namespace onefold::test {

std::vector<Kernel> bf16_kernels() { return kernels_of<bfloat16>(); }

}  // namespace onefold::test
