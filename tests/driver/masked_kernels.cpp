#include "driver/axes_kernels.hpp"

namespace onefold::test {

void add_masked(Kernels& all) {
  using enum kernel::OpIndex;
  add_ops<double, bit(sum_), true>(all, "double");
  add_states<double, bit(sum_), true>(all, "double");
  add_ops<float, bit(sum_) | bit(mean_) | bit(max_), true>(all, "float");
  add_ops<float, bit(var_), true>(all, "float");
  add_ops<int32_t, bit(argmin_), true>(all, "int32_t");
  add_ops<double, bit(count_), true>(all, "double");
}

}  // namespace onefold::test
