// Folds of short contiguous arrays, for which making a plan costs more than the fold itself: one
// prepared plan folds one array after another without allocating.
#pragma once

#include <vector>

#include "backend/cpu/family/few.hpp"
#include "backend/cpu/gatherer.hpp"
#include "onefold/fold.hpp"

namespace onefold::cpu_backend {

class ShortFold {
 public:
  // The largest array; above it a second thread may help.
  static constexpr Size most_bytes = (Size{1} << 20) - 1;

  // Folds as the plan says, of any array of its type: one answer to each op.
  explicit ShortFold(const Plan& plan);

  // n > 0 neighbouring elements, each at a multiple of its size.
  //   y  null where ops fold one array
  void fold(const void* x, const void* y, Size n, NanPolicy nan, const Correction& correction,
            Value* out) {
    if (long_folds_ > 0) {
      --long_folds_;
    } else if (quick_ != nullptr || (few_ && n <= most_few)) {
      out[0] = {.dtype = plan_.results[0], .status = Status::ok, .bits = 0};
      if (quick_ != nullptr ? quick_(x, n, &out[0].bits)
                            : few_.fold(x, y, n, nan, correction, &out[0].bits)) {
        return;
      }
      long_folds_ = 16;
    }
    gathered_.nan = nan;
    gathered_.correction = correction;
    fold_by_state(x, y, n, out);
  }
  const Plan& plan() const { return plan_; }

 private:
  // Sums and means of f64 and f32; false: it must go another way.
  using Quick = bool(const void* x, Size n, uint64_t* bits);
  template <class T, SmallFold<T>* fold>
  static bool quickly(const void* x, Size n, uint64_t* bits);
  template <class T>
  static Quick* quick_way(std::string_view op);
  void fold_by_state(const void* x, const void* y, Size n, Value* out);

  const Plan plan_;
  // Fast paths of one op that need no state.
  Quick* quick_ = nullptr;
  Few few_;
  int long_folds_ = 0;  // how many folds go by states before a fast path is tried again
  Gatherer gatherer_;
  std::vector<int64_t> empty_, state_;
  Gathered gathered_;
};

}  // namespace onefold::cpu_backend
