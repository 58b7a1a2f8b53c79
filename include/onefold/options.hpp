// The options of a fold, as plain values; the defaults are NumPy's.
#pragma once

#include <optional>
#include <string_view>

#include "onefold/array.hpp"
#include "onefold/correction.hpp"
#include "onefold/mask.hpp"
#include "onefold/scalar.hpp"
#include "onefold/status.hpp"

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
  std::optional<DType> result = {};  // round the exact value to this type instead
  bool wide = false;  // without `result`: a float answer that is no element (not min, max) is f64
  NanPolicy nan = NanPolicy::propagate;
  Correction ddof = {};                // var and std divide by n - ddof; exact, correction.hpp
  std::optional<Mask> where = {};      // the elements that are there; broadcasts to the array
  std::optional<Scalar> initial = {};  // sum, min, max: one more element, without an index
  // Both broadcast to the array. `weights` have its type and are those of `average`; `fweights` are
  // integers that say how often an element counts.
  std::optional<ArrayRef> weights = {}, fweights = {};
  bool empty_nan = false;        // floating-point min, max, ptp of nothing are NaN
  Device device = {};            // automatic: where the data are
  void* stream = nullptr;        // of the device where the data are; refused for host data
  int threads = 0;               // 0: one per core
  std::string_view target = {};  // instruction set, see cpu_targets(); empty: the best
  Size first = 0;                // gather, or with .nccl: the index of the part's first element
  // For fold_into on a device: an ncclComm_t. Each of its ranks gives a part of the data, and all
  // get the answer for all data (nccl.hpp).
  void* nccl = nullptr;
};

}  // namespace onefold
