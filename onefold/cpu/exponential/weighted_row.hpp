// ln(sum of w e^x) of one row of neighbouring elements with weights, rounded once.
//
//   levels  those of row.hpp, by its loops: they store e^(x - greatest) of 2,048 elements, which
//           are multiplied by the weights and added. By one f64 the sum's relative error is below
//           2^-42 (greatest - x may be 700, and rounded), by pairs below 2^-86
//   ranges  weights outside 2^-300 .. 2^300 make the row one for the third level
//   ends    since a sum of w e^x with distinct rational x is e to a rational number only if it has
//           one term, whose weight is 1 (docs/decisions/0065-logsumexp.md)
#pragma once

#include <optional>

#include "onefold/core/exponential/precise.hpp"
#include "onefold/cpu/exponential/kernels.hpp"

namespace onefold::cpu_backend {

class WeightedRow {
 public:
  //   x        n elements of type t: f16, bf16, f32 or f64
  //   w        n weights, finite and above 0
  //   threads  for rows of more than 2^18 elements
  WeightedRow(const void* x, const double* w, Size n, DType t, Target target, int threads);

  // Return the bits of a t: of ln(sum of w e^x), and ln(sum of w e^x / sum of w). Of no elements:
  // -inf, and NaN.
  uint64_t logsumexp() const { return log_of_sum(false); }
  uint64_t logmeanexp() const { return log_of_sum(true); }

 private:
  struct Sums {
    DoublePair terms{0, 0};  // w e^(x - greatest)
    RowSum row;              // without weights
  };

  uint64_t log_of_sum(bool mean) const;
  Sums sums(bool pair) const;
  DoublePair sum_of_weights() const;
  bool has_quick_weights() const;
  bool has_weight_one() const;
  std::optional<uint64_t> quick(const Sums& sums, bool mean, bool pair) const;
  uint64_t precise(bool mean) const;
  int scale_of_terms(bool exponentials) const;
  double at(Size i) const { return element_of(x_, i, t_); }

  const void* x_;
  const double* w_;
  Size n_;
  DType t_;
  FloatFormat format_;
  const RowKernels& kernels_;
  int threads_;
  double greatest_;
};

}  // namespace onefold::cpu_backend
