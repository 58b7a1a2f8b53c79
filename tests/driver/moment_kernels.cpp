#include "driver/axes_kernels.hpp"

namespace onefold::test {

void add_moments(Kernels& all) {
  using enum kernel::OpIndex;
  add_ops<float, bit(skewness_) | bit(kurtosis_), false>(all, "float");
  add_ops<float, bit(skewness_) | bit(kurtosis_), true>(all, "float");
  add_ops<double, bit(skewness_), false>(all, "double");
  constexpr kernel::OpSet some =
      bit(sem_) | bit(kurtosis_pearson_) | bit(moment3_) | bit(raw_moment4_);
  add_ops<float, some, false>(all, "float");
  add_ops<float, some, true>(all, "float");
  add_ops<double, bit(moment4_) | bit(raw_moment3_), false>(all, "double");
  add_ops<int16_t, bit(kurtosis_), false>(all, "int16_t");
}

}  // namespace onefold::test
