#include "driver/axes_kernels.hpp"

namespace onefold::test {
namespace {

//   selects   see kernel::Segments
template <class T, kernel::OpSet ops, bool selects>
void add_one(Kernels& all, const char* type) {
  using kernel::Walk;
  add_walk<T, needs_of(ops), ops, Walk::segments, selects>(all, type);
  add_walk<T, needs_of(ops), ops, Walk::long_segments, selects>(all, type);
  if constexpr (selects && kernel::tiles_hold<T>(ops)) {
    add_walk<T, needs_of(ops), ops, Walk::windows, true>(all, type);
  }
  if constexpr (kernel::any_is_rounded<T>(ops)) {
    add_walk<T, needs_of(ops), ops, Walk::undecided_segments, selects>(all, type);
  }
}
template <class T, kernel::OpSet ops>
void add_both(Kernels& all, const char* type) {
  add_one<T, ops, false>(all, type);
  add_one<T, ops, true>(all, type);
}
// Windows that may have too few elements count them.
template <class T, kernel::OpSet ops>
void add_counting(Kernels& all, const char* type) {
  constexpr uint32_t set = needs_of(ops) | Accumulators(Accumulator::tally).bits;
  add_walk<T, set, ops, kernel::Walk::segments, false>(all, type);
  add_walk<T, set, ops, kernel::Walk::segments, true>(all, type);
  add_walk<T, set, ops, kernel::Walk::long_segments, false>(all, type);
  add_walk<T, set, ops, kernel::Walk::long_segments, true>(all, type);
}
template <class T, kernel::OpSet ops>
void add_words(Kernels& all, const char* type) {
  add_walk<T, needs_of(ops), ops, kernel::Walk::segment_words, false>(all, type);
  add_walk<T, needs_of(ops), ops, kernel::Walk::segment_words, true>(all, type);
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
  add_counting<int32_t, bit(argmin_)>(all, "int32_t");
  add_both<uint8_t, bit(count_)>(all, "uint8_t");
  add_both<float, bit(mean_) | bit(var_)>(all, "float");
  add_both<float, bit(rms_)>(all, "float");
  add_both<float, bit(kurtosis_)>(all, "float");
  add_both<bfloat16, bit(var_)>(all, "onefold::bfloat16");
  add_both<float16, bit(sum_) | bit(sumsq_)>(all, "onefold::float16");
  add_words<int32_t, bit(var_)>(all, "int32_t");
  add_both<uint8_t, bit(std_) | bit(norm2_)>(all, "uint8_t");
  add_both<float, bit(mse_)>(all, "float");
  add_both<float, bit(cov_) | bit(corr_) | bit(slope_)>(all, "float");
  add_both<double, bit(dot_)>(all, "double");
  add_both<float16, bit(mae_) | bit(max_abs_diff_)>(all, "onefold::float16");
  add_both<double, bit(average_)>(all, "double");
  add_both<int16_t, bit(corr_) | bit(mae_)>(all, "int16_t");
  add_words<int64_t, bit(slope_)>(all, "int64_t");
  add_words<double, bit(sum_)>(all, "double");
}

}  // namespace onefold::test
