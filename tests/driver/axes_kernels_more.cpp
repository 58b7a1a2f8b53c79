#include "driver/axes_kernels.hpp"

namespace onefold::test {

void add_axes_of_pairs(Kernels& all) {
  using enum kernel::OpIndex;
  add_ops<float, bit(dot_)>(all, "float");
  add_states<float, bit(dot_)>(all, "float");
  add_ops<int64_t, bit(sum_) | bit(min_) | bit(count_)>(all, "int64_t");
  add_ops<bfloat16, bit(sum_)>(all, "onefold::bfloat16");
  add_ops<Bool8, bit(any_)>(all, "onefold::Bool8");
}

}  // namespace onefold::test
