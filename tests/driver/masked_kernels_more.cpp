#include "driver/axes_kernels.hpp"

namespace onefold::test {

void add_more_masked(Kernels& all) {
  using enum kernel::OpIndex;
  add_ops<float, bit(dot_), true>(all, "float");
  add_ops<float, bit(min_) | bit(max_), true>(all, "float");
  add_ops<int64_t, bit(sum_) | bit(min_) | bit(count_), true>(all, "int64_t");
  add_ops<bfloat16, bit(sum_), true>(all, "onefold::bfloat16");
  add_ops<Bool8, bit(any_), true>(all, "onefold::Bool8");
}

}  // namespace onefold::test
