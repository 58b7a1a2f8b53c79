#include "driver/axes_kernels.hpp"
#include "onefold/generated/pair_op.inl"

namespace onefold::test {
namespace {

template <class T, uint32_t set>
void add_pairs(Kernels& all, const char* type) {
  add_walk<T, set, 0, kernel::Walk::nest, false>(all, type);
  add_walk<T, set, 0, kernel::Walk::nest, true>(all, type);
}

}  // namespace

void add_ops_of_pairs(Kernels& all) {
  using namespace op;
  using enum kernel::OpIndex;
  add_ops<double, bit(dot_)>(all, "double");
  add_ops<double, bit(dot_), true>(all, "double");
  add_ops<bfloat16, bit(dot_)>(all, "onefold::bfloat16");
  add_ops<bfloat16, bit(dot_), true>(all, "onefold::bfloat16");
  add_ops<int32_t, bit(dot_)>(all, "int32_t");
  add_pairs<float, (mse_::about.needs | (mae_::about.needs | max_abs_diff_::about.needs)).bits>(
      all, "float");
  add_pairs<float, (corr_::about.needs | cov_::about.needs).bits>(all, "float");
  add_pairs<double, average_::about.needs.bits>(all, "double");
  add_pairs<int32_t, (slope_::about.needs | max_abs_diff_::about.needs).bits>(all, "int32_t");
}

}  // namespace onefold::test
