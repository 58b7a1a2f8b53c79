#include "cuda/kernel/kernels.hpp"

namespace onefold::test {

std::vector<Kernel> words_kernels() {
  return all_of({kernels_of<int32_t>(), kernels_of<uint32_t>()});
}

}  // namespace onefold::test
