#include "cuda/kernel/kernels.hpp"

namespace onefold::test {

std::vector<Kernel> longs_kernels() {
  return all_of({kernels_of<int64_t>(), kernels_of<uint64_t>()});
}

}  // namespace onefold::test
