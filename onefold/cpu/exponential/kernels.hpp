// Loops over the elements of a row, for each instruction set and type.
#pragma once

#include "onefold/core/exponential/state.hpp"
#include "onefold/core/layer_norm/elements.hpp"
#include "onefold/engine/vectors.hpp"

namespace onefold::cpu_backend {

// The words of powers.hpp.
struct PowerTables {
  double coarse[64], coarse_low[64], fine[64], fine_low[64];
};
const PowerTables& power_tables();

// Kept exponentials of a row: f64 one after another, and their lower parts kept_stride later, which
// is no multiple of a page, since loads would wait for stores there. They are read from the caches,
// and vectors may be written behind them.
inline constexpr Size kept_elements = 2048, kept_stride = kept_elements + 264,
                      kept_size = 2 * kept_stride;

// Where elements, their bases and terms are stored (state.hpp), at most block_elements of each.
struct ExponentialTerms {
  double *x, *base, *high, *low;
};

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
  // Stores terms of n <= block_elements elements, the same bits by any instruction set; null: this
  // one has no fma. `to` has room for a vector behind them.
  void (*terms)(const void* x, Size n, const ExponentialTerms& to);
  // Writes softmax or its logarithm for n elements, of x's type. Returns whether all are proven; if
  // not, `decided` says which.
  bool (*elements)(const void* x, Size n, const RowLog& row, bool log, const double* kept,
                   void* out, uint8_t* decided);

  // Return the sums of x - pivot and of its squares: by one f64 an element (not for f64), and by
  // two. Their errors are those of layer_norm/row.hpp.
  Deviations (*deviations)(const void* x, Size n, double pivot);
  Deviations (*pair_deviations)(const void* x, Size n, double pivot);
  // Writes elements of rms_norm or, if `centred`, of layer_norm, and returns as `elements` does.
  //   w, b  null: 1, and 0. Readable for a vector beyond n
  bool (*normalized)(const void* x, Size n, const NormRow& row, bool centred, const double* w,
                     const double* b, void* out, uint8_t* decided);
};
const RowKernels& row_kernels(Target target, DType t);

// Elements whose answers are proven or computed again together.
inline constexpr Size block_elements = 1024;
// Returns element i of type t, a floating-point type.
double element_of(const void* x, Size i, DType t);
// Writes the bits of element i of type t.
void put_element(void* out, Size i, DType t, uint64_t bits);

}  // namespace onefold::cpu_backend
