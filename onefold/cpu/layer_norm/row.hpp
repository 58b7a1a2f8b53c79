// rms_norm and layer_norm of one row of neighbouring elements, each answer rounded once.
//
//   levels  one f64 an element with an error bound (for types narrower than f64); pairs of f64;
//           then integers, which cost about 10 ns an element of the row and 10 us an answer
//   bits    depend on the elements alone, since every level rounds the exact value
#pragma once

#include <functional>
#include <optional>

#include "onefold/cpu/exponential/kernels.hpp"

namespace onefold::cpu_backend {

// What each element of a row is multiplied by, and what is added to the product. Behind the last
// one there is room to read for a vector.
struct NormFactors {
  const double *weight = nullptr, *bias = nullptr;  // null: 1, and 0
  double eps = 0;

  double weight_of(Size i) const { return weight != nullptr ? weight[i] : 1; }
  double bias_of(Size i) const { return bias != nullptr ? bias[i] : 0; }
};

// The bits of x's answer by the row's sums as integers; near is that by pairs.
using ExactAnswer =
    std::function<uint64_t(double x, double w, double b, const PairElement<ExponentialLane>& near)>;

class LayerNormRow {
 public:
  //   x        n elements, aligned or not, of type f16, bf16, f32 or f64
  //   centred  layer_norm; else rms_norm
  LayerNormRow(const void* x, Size n, DType t, Target target, bool centred,
               const NormFactors& factors);
  // Writes n elements of type t.
  void elements(void* out);

 private:
  NormRow row_of(const Deviations& all, bool pairs) const;
  const NormRow& pairs();
  uint64_t undecided(Size i);
  void without_sums(void* out, bool has_nan) const;

  const void* x_;
  Size n_;
  DType t_;
  const RowKernels& kernels_;
  bool centred_;
  const NormFactors& factors_;
  double pivot_ = 0;
  std::optional<NormRow> pairs_;
  ExactAnswer exact_;  // empty until it is needed
};

}  // namespace onefold::cpu_backend
