// States of several answers side by side.
#pragma once

#include <vector>

#include "plan/plan.hpp"

namespace onefold::io {

class States {
 public:
  // n of them, of nothing.
  States(const Plan& plan, Size n) : words_(static_cast<Size>(plan.layout.words)) { grow(plan, n); }
  void grow(const Plan& plan, Size n) {
    if (n <= n_) return;
    state_.resize(n * words_);
    for (; n_ < n; ++n_) clear((*this)[n_], plan.layout, plan.dtype);
  }
  void clear_all(const Plan& plan) {
    for (Size k = 0; k < n_; ++k) clear((*this)[k], plan.layout, plan.dtype);
  }
  int64_t* operator[](Size k) { return state_.data() + k * words_; }
  Size size() const { return n_; }

 private:
  Size words_, n_ = 0;
  std::vector<int64_t> state_;
};

}  // namespace onefold::io
