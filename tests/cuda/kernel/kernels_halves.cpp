#include "cuda/kernel/kernels.hpp"

namespace onefold::test {

std::vector<Kernel> halves_kernels() {
  return all_of({kernels_of<int16_t>(), kernels_of<uint16_t>()});
}

}  // namespace onefold::test
