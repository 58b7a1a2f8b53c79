// Loops over the elements of a row, for each instruction set and type.
#pragma once

#include "onefold/core/exact/quick.hpp"
#include "onefold/cpu/exponential/fixed.hpp"
#include "onefold/engine/vectors.hpp"

namespace onefold::cpu_backend {

// 2^(i / 64) and 2^(i / 4096) for i in [0, 64), as pairs with a relative error below 2^-100.
struct PowerTables {
  double coarse[64], coarse_low[64], fine[64], fine_low[64];
};
const PowerTables& power_tables();

// Adds x to a sum of f64, with an error of 2^-104 of the sum.
inline void add_pair(DoublePair& sum, DoublePair x) {
  const auto s = two_sum<OneLane>(sum.high, x.high);
  const auto r = two_sum<OneLane>(s.sum, s.rest + (sum.low + x.low));
  sum = {r.sum, r.rest};
}

// The sum of e^(x - greatest) over a row: at_greatest elements equal to it, each of which counts 1,
// and `others`. -inf counts 0, other elements below greatest - 700 as e^-700.
struct RowSum {
  DoublePair others{0, 0};
  double at_greatest = 0;
};

// What the elements of softmax and log_softmax are computed with.
struct RowLog {
  double greatest = 0;
  // The logarithm of the sum of e^(x - greatest), with bounds for log_high alone and for both.
  double log_high = 0, log_low = 0, quick_error = 0, pair_error = 0;
  double quotient_error = 0;  // relative, of softmax by pairs
  // 1 / the sum, with relative errors below 2^-44.6 and 2^-85.
  double inverse_high = 0, inverse_low = 0;
};

// Kept exponentials of a row: f64 one after another, and their lower parts kept_stride later, which
// is no multiple of a page, since loads would wait for stores there. They are read from the caches,
// and vectors may be written behind them.
inline constexpr Size kept_elements = 2048, kept_stride = kept_elements + 264,
                      kept_size = 2 * kept_stride;

struct RowKernels {
  // Returns the greatest element that is not NaN; none: -inf.
  double (*greatest)(const void* x, Size n);
  // Sums e^x over all elements. If the sum is within e^-600 .. e^600, its relative error is below
  // 2^-44; a NaN makes it NaN. Not for f64.
  DoublePair (*direct_sum)(const void* x, Size n);
  // Of `others` the relative errors are below 2^-43 and 2^-86, and n e^-700; of the whole sum the
  // quick one is below 2^-44.6: the mean of greatest - x, weighted by e^x, is at most ln n, and
  // so its rounding. A NaN makes it NaN.
  //   kept  if not null, gets e^(x - greatest) of each element for `elements`: room for kept_size
  //         f64, n <= kept_elements
  RowSum (*quick_sum)(const void* x, Size n, double greatest, double* kept);
  RowSum (*pair_sum)(const void* x, Size n, double greatest, double* kept);
  // Writes softmax or its logarithm for n elements, of x's type. Returns whether all are proven; if
  // not, `decided` says which.
  bool (*elements)(const void* x, Size n, const RowLog& row, bool log, const double* kept,
                   void* out, uint8_t* decided);
};
const RowKernels& row_kernels(Target target, DType t);

// Returns element i of type t, a floating-point type.
double element_of(const void* x, Size i, DType t);

// Returns e^(high + low), |low| <= 2^-53 |high|, -690 <= high <= 700, with a relative error below
// 2^-88.
DoublePair pair_exponential(double high, double low);

// Rounds a number with an error of at most `lost` to a floating-point type; false: not proven.
bool decided_bits(DoublePair v, double lost, DType t, uint64_t* bits);

// Computes an element of softmax or its logarithm by pairs, and rounds it as decided_bits.
bool pair_answer(double x, const RowLog& row, bool log, DType t, uint64_t* bits);

}  // namespace onefold::cpu_backend
