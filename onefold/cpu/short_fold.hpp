// Folds short contiguous arrays, for which making a plan costs more than the fold. One prepared
// plan folds array after array without allocating.
#pragma once

#include <vector>

#include "onefold/core/gathered.hpp"
#include "onefold/cpu/family/few.hpp"
#include "onefold/cpu/gatherer.hpp"
#include "onefold/fold.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {

class ShortFold {
 public:
  // The size of the largest array; for a larger one a second thread helps.
  static constexpr Size most_bytes = many_bytes - 1;

  // plan: one answer per op; the arrays must have the plan's type
  explicit ShortFold(const Plan& plan);

  // Folds n > 0 neighbouring elements, each aligned to its size.
  //   y  null for ops of one array
  void fold(const void* x, const void* y, Size n, NanPolicy nan, const Correction& correction,
            Value* out) {
    if (long_folds_ > 0) {
      --long_folds_;
    } else if (quick_ != nullptr || few_.takes(n)) {
      out[0] = {.dtype = plan_.results[0], .status = Status::ok, .bits = 0};
      if (quick_ != nullptr && quick_(x, n, &out[0].bits)) return;
      if (few_.takes(n) && few_.fold(x, y, n, nan, correction, &out[0].bits)) return;
      long_folds_ = 16;
    }
    gathered_.nan = nan;
    gathered_.correction = correction;
    fold_by_state(x, y, n, out);
  }
  const Plan& plan() const { return plan_; }

 private:
  // A sum or mean of f64 or f32; returns false if a state must compute it.
  using Quick = bool(const void* x, Size n, uint64_t* bits);
  template <class T, SmallFold<T>* fold>
  static bool quickly(const void* x, Size n, uint64_t* bits);
  template <class T>
  static Quick* quick_way(std::string_view op);
  void fold_by_state(const void* x, const void* y, Size n, Value* out);

  const Plan plan_;
  // The paths for one op that need no state.
  Quick* quick_ = nullptr;
  Few few_;
  // Folds still to do by states before the faster path is tried again, after it has failed.
  int long_folds_ = 0;
  Gatherer gatherer_;
  std::vector<int64_t> empty_, state_;
  Gathered gathered_;
};

}  // namespace onefold::cpu_backend
