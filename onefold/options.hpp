// The options of a fold, as plain values; the defaults are NumPy's.
#pragma once

#include <optional>
#include <string_view>

#include "onefold/array.hpp"
#include "onefold/core/correction.hpp"
#include "onefold/core/scalar.hpp"
#include "onefold/core/status.hpp"
#include "onefold/mask.hpp"

namespace onefold {

// The axes to fold: all of them by default; negative ones count from the end. Axes::none() folds
// nothing: every element becomes its own answer.
class Axes {
 public:
  constexpr Axes() = default;
  template <std::integral... I>
  requires(sizeof...(I) > 0 && sizeof...(I) <= max_rank) constexpr Axes(I... axis)
      : all_(false), list_(axis...) {}
  constexpr explicit Axes(std::span<const int64_t> list) : all_(false), list_(list) {}
  static constexpr Axes none() { return Axes(std::span<const int64_t>()); }

  constexpr bool all() const { return all_; }
  constexpr const Dims& list() const { return list_; }
  friend constexpr bool operator==(const Axes&, const Axes&) = default;

 private:
  bool all_ = true;
  Dims list_;
};

struct Options {
  Axes axes = {};
  bool keepdims = false;
  std::optional<DType> result = {};  // the exact value is rounded to this type
  bool wide = false;  // without `result`: float answers other than elements (min, max) are f64
  NanPolicy nan = NanPolicy::propagate;
  Correction ddof = {};                // var divides by n - ddof; exact, core/correction.hpp
  std::optional<Mask> where = {};      // the elements that count; broadcasts to the array
  std::optional<Scalar> initial = {};  // for sum, min, max: one more element, without an index
  // Both broadcast to the array. `weights` have its type: fold() takes them for means, var, mse and
  // others, quantile() and logsumexp() of any type; all others for `average` only. `fweights` are
  // integers that say how often an element counts.
  std::optional<ArrayRef> weights = {}, fweights = {};
  bool empty_nan = false;        // floating-point min, max, ptp of no elements are NaN
  Device device = {};            // automatic: the device where the data are
  void* stream = nullptr;        // a stream of the data's device; refused for host data
  int threads = 0;               // 0: one per core
  std::string_view target = {};  // instruction set, see cpu_targets(); empty: the best
  Size first = 0;                // gather, and with .nccl: the index of the part's first element
  // For fold_into on a device: an ncclComm_t. Each of its ranks gives a part of the data, and all
  // get the answer for all data (nccl.hpp).
  void* nccl = nullptr;
};

}  // namespace onefold
