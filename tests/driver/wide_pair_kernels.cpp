// Kernels of two arrays whose answers are f64: relations of f64, and all but dot of integers.
#include "driver/axes_kernels.hpp"

namespace onefold::test {
namespace {

template <class T, kernel::OpSet ops>
void add_both(Kernels& all, const char* type) {
  add_ops<T, ops, false>(all, type);
  add_ops<T, ops, true>(all, type);
}

}  // namespace

void add_wide_ops_of_pairs(Kernels& all) {
  using enum kernel::OpIndex;
  constexpr kernel::OpSet relations = bit(cov_) | bit(corr_) | bit(cosine_) | bit(intercept_);
  add_both<double, relations>(all, "double");
  add_both<double, bit(total_var_) | bit(total_std_)>(all, "double");
  add_both<int16_t, bit(total_var_)>(all, "int16_t");
  add_both<int16_t, bit(cov_) | bit(mse_) | bit(mae_)>(all, "int16_t");
  add_both<uint8_t, bit(corr_) | bit(rmse_)>(all, "uint8_t");
  add_both<Bool8, bit(corr_) | bit(max_abs_diff_)>(all, "onefold::Bool8");
  add_even<double, relations, false, 0, 5>(all, "double");
}

}  // namespace onefold::test
