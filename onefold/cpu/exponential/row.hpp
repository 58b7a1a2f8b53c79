// logsumexp, softmax and their kin of one row of neighbouring elements, each answer rounded once.
//
//   levels  one f64 an element with an error bound (for types narrower than f64); pairs of f64;
//           then fixed-point numbers of as many bits as it takes, which cost about 1 us an element
//           of the first length. Each level computes
//           what the one before has not proven
//   bits    depend on the elements alone, since every level rounds the exact value
//   values  softmax(x) = e^(x - L), log_softmax(x) = x - L, L = logsumexp of the row; where L is
//           NaN or infinite, these are IEEE's
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "onefold/core/exponential/precise.hpp"
#include "onefold/cpu/exponential/kernels.hpp"

namespace onefold::cpu_backend {

class ExponentialRow {
 public:
  //   x        n elements, aligned or not
  //   t        f16, bf16, f32 or f64
  //   threads  for rows of more than 2^18 elements
  ExponentialRow(const void* x, Size n, DType t, Target target, int threads);

  // Return the bits of a t. Of no elements: -inf, and NaN.
  uint64_t logsumexp() { return log_of_sum(false); }
  uint64_t logmeanexp() { return log_of_sum(true); }
  // Returns what merges with that of other parts of the row.
  ExponentialState state() const;
  // Writes n elements of type t.
  void softmax(void* out) { elements(out, false); }
  void log_softmax(void* out) { elements(out, true); }

 private:
  uint64_t log_of_sum(bool mean);
  std::optional<uint64_t> direct(bool mean);
  std::optional<uint64_t> by_log(const RowLog& row, bool mean, bool pair) const;
  void elements(void* out, bool log);
  // Writes the elements of a row whose greatest one is no finite number, or alone.
  void plain_elements(void* out, bool log) const;
  uint64_t undecided(double x, bool log);

  RowSum sum(bool pair, double* kept = nullptr) const;
  const RowLog& pairs();
  // Calls decide(row) with rows of more and more bits until it returns true.
  template <class F>
  void precise(F&& decide);
  double at(Size i) const { return element_of(x_, i, t_); }

  const void* x_;
  Size n_;
  DType t_;
  FloatFormat format_;
  const RowKernels& kernels_;
  int threads_;
  double greatest_ = 0;
  RowSum sum_;
  RowLog log_{};
  bool has_pairs_ = false;
  struct PreciseLength {
    std::vector<uint64_t> memory;
    PreciseRow<uint64_t*> row;
  };
  std::vector<std::unique_ptr<PreciseLength>> precise_;
};

}  // namespace onefold::cpu_backend
