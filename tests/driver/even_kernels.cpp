#include "driver/axes_kernels.hpp"

namespace onefold::test {

void add_even_nests(Kernels& all) {
  using enum kernel::OpIndex;
  add_even<float, bit(sum_) | bit(mean_) | bit(max_), false, 0, 1, 2, 3, 4, 5>(all, "float");
  add_even<float, bit(var_), false, 0, 2, 5>(all, "float");
  add_even<double, bit(sum_), false, 0, 2, 5>(all, "double");
  add_even<int32_t, bit(argmin_), false, 0, 3, 5>(all, "int32_t");
  add_even<bfloat16, bit(sum_), false, 0, 1, 4>(all, "onefold::bfloat16");
  add_even<Bool8, bit(any_), false, 0, 3>(all, "onefold::Bool8");
}

void add_even_of_more(Kernels& all) {
  using enum kernel::OpIndex;
  add_even<float, bit(sum_) | bit(mean_) | bit(max_), true, 0, 2, 5>(all, "float");
  add_even<double, bit(sum_), true, 0, 3>(all, "double");
  add_even<float, bit(dot_), false, 0, 2, 5>(all, "float");
  add_even<float, bit(dot_), true, 0, 5>(all, "float");
  add_even<double, bit(dot_), false, 1, 4>(all, "double");
}

}  // namespace onefold::test
