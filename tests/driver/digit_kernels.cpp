#include "driver/axes_kernels.hpp"

namespace onefold::test {
namespace {

using enum kernel::OpIndex;

// Kernels that sum by digits; on a chip with few FP64 lanes, exact words decide undecided answers.
template <class T, kernel::OpSet ops>
void add_digits(Kernels& all, const char* type) {
  using enum kernel::Walk;
  constexpr kernel::OpSet digits = ops | kernel::by_digits;
  add_walk<T, needs_of(ops), digits, any_rows, false>(all, type);
  add_walk<T, needs_of(ops), digits, long_rows, false>(all, type);
  add_walk<T, needs_of(ops), digits, columns, false>(all, type);
  add_walk<T, needs_of(ops), digits, undecided, false>(all, type);
  add_even<T, digits, false, 0, 2, 3, 5>(all, type);
}

}  // namespace

void add_digit_kernels(Kernels& all) {
  add_digits<float, bit(sum_) | bit(mean_)>(all, "float");
  add_digits<bfloat16, bit(sum_)>(all, "onefold::bfloat16");
  add_digits<bfloat16, bit(mean_)>(all, "onefold::bfloat16");
  add_digits<float16, bit(sum_)>(all, "onefold::float16");
  add_ops<bfloat16, bit(sum_)>(all, "onefold::bfloat16");
  add_ops<float16, bit(sum_)>(all, "onefold::float16");
}

}  // namespace onefold::test
