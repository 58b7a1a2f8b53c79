#include "driver/axes_kernels.hpp"

namespace onefold::test {
namespace {

//   selects   see kernel::Segments
template <class T, uint32_t ops, bool selects>
void add_one(Kernels& all, const char* type) {
  using kernel::Walk;
  add_walk<T, needs_of(ops), ops, Walk::segments, selects>(all, type);
  add_walk<T, needs_of(ops), ops, Walk::long_segments, selects>(all, type);
  add_walk<T, needs_of(ops), ops, Walk::undecided_segments, selects>(all, type);
}
template <class T, uint32_t ops>
void add_both(Kernels& all, const char* type) {
  add_one<T, ops, false>(all, type);
  add_one<T, ops, true>(all, type);
}

}  // namespace

void add_segments(Kernels& all) {
  using enum kernel::OpIndex;
  using kernel::Walk;
  add_both<double, bit(sum_)>(all, "double");
  add_both<float, bit(sum_) | bit(mean_) | bit(max_)>(all, "float");
  add_both<float, bit(sum_)>(all, "float");
  add_both<float, bit(sum_) | bit(mean_) | bit(count_)>(all, "float");
  add_both<bfloat16, bit(mean_)>(all, "onefold::bfloat16");
  add_both<float16, bit(sum_)>(all, "onefold::float16");
  add_both<float, bit(var_)>(all, "float");
  add_both<int32_t, bit(argmin_)>(all, "int32_t");
  add_both<uint8_t, bit(count_)>(all, "uint8_t");
  add_walk<double, needs_of(bit(sum_)), bit(sum_), Walk::segment_words, false>(all, "double");
  add_walk<double, needs_of(bit(sum_)), bit(sum_), Walk::segment_words, true>(all, "double");
}

}  // namespace onefold::test
