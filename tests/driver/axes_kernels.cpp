#include "driver/axes_kernels.hpp"

namespace onefold::test {

void add_axes(Kernels& all) {
  using enum kernel::OpIndex;
  add_ops<double, bit(sum_)>(all, "double");
  add_states<double, bit(sum_)>(all, "double");
  add_ops<float, bit(sum_) | bit(mean_) | bit(max_)>(all, "float");
  add_ops<float, bit(var_)>(all, "float");
  add_states<float, bit(var_)>(all, "float");
  add_ops<int32_t, bit(argmin_)>(all, "int32_t");
  add_states<int32_t, bit(argmin_)>(all, "int32_t");
}

}  // namespace onefold::test
