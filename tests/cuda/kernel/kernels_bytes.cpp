#include "cuda/kernel/kernels.hpp"

namespace onefold::test {

std::vector<Kernel> bytes_kernels() {
  return all_of({kernels_of<int8_t>(), kernels_of<uint8_t>(), kernels_of<Bool8>()});
}

}  // namespace onefold::test
