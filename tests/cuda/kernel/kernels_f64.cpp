#include "cuda/kernel/kernels.hpp"

namespace onefold::test {

std::vector<Kernel> f64_kernels() { return kernels_of<double>(); }

}  // namespace onefold::test
