#include "driver/axes_kernels.hpp"

namespace onefold::test {
namespace {

template <class T, kernel::OpSet ops>
void add_both(Kernels& all, const char* type) {
  add_ops<T, ops, false>(all, type);
  add_ops<T, ops, true>(all, type);
}

}  // namespace

void add_ops_of_pairs(Kernels& all) {
  using enum kernel::OpIndex;
  add_both<double, bit(dot_)>(all, "double");
  add_both<bfloat16, bit(dot_)>(all, "onefold::bfloat16");
  add_ops<int32_t, bit(dot_)>(all, "int32_t");
  add_both<float, bit(mse_)>(all, "float");
  add_both<float, bit(rmse_) | bit(mae_) | bit(max_abs_diff_)>(all, "float");
  add_both<float, bit(corr_) | bit(cov_) | bit(slope_) | bit(intercept_)>(all, "float");
  add_both<double, bit(average_)>(all, "double");
  add_both<float, bit(total_var_) | bit(total_std_)>(all, "float");
  add_both<int32_t, bit(slope_) | bit(max_abs_diff_)>(all, "int32_t");
  add_both<int64_t, bit(slope_)>(all, "int64_t");
}

}  // namespace onefold::test
