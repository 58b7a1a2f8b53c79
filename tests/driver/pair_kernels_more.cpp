#include "driver/axes_kernels.hpp"

namespace onefold::test {
namespace {

template <class T, kernel::OpSet ops>
void add_both(Kernels& all, const char* type) {
  add_ops<T, ops, false>(all, type);
  add_ops<T, ops, true>(all, type);
}

}  // namespace

void add_more_ops_of_pairs(Kernels& all) {
  using enum kernel::OpIndex;
  add_both<float, bit(cosine_) | bit(average_)>(all, "float");
  add_both<double, bit(distance_) | bit(mae_)>(all, "double");
  add_both<bfloat16, bit(mse_) | bit(corr_)>(all, "onefold::bfloat16");
  add_both<float16, bit(rmse_) | bit(max_abs_diff_)>(all, "onefold::float16");
  add_even<float, bit(mse_), false, 0, 2, 5>(all, "float");
  add_even<float, bit(mse_), true, 0, 5>(all, "float");
  add_even<float, bit(corr_) | bit(cov_) | bit(slope_) | bit(intercept_), false, 5>(all, "float");
  add_even<double, bit(distance_) | bit(mae_), false, 5>(all, "double");
}

}  // namespace onefold::test
