// Folds of a few contiguous elements, as a panel with one answer: no state is needed.
#pragma once

#include "backend/cpu/panel.hpp"
#include "onefold/options.hpp"
#include "plan/table.hpp"

namespace onefold::cpu_backend {

// The largest number of elements of one answer in a panel; up to it, a panel takes 0.5 to 0.9 of
// the time of a state.
inline constexpr Size most_few = panel_elements;

// Folds a few elements of one type with one op.
class Few {
 public:
  Few() = default;  // folds nothing
  Few(const OpRow& op, DType x, DType result);

  explicit operator bool() const { return recipe_ != nullptr; }
  // Folds 1 to most_few aligned elements. False: the rounding is not proven, and exact words must
  // be used.
  bool fold(const void* x, const void* y, Size n, NanPolicy nan, const Correction& correction,
            uint64_t* bits) const;
  // Rounds the answer for n elements whose sums are known, each as high, low and rest.
  //   sum, squares  the known sums, else null; returns false also if the op needs other sums
  bool round(const double* sum, const double* squares, Size n, NanPolicy nan,
             const Correction& correction, uint64_t* bits) const;

 private:
  bool sum_up(const Panel& panel, const QuickFormula& formula, std::byte* out) const;

  Recipe (*recipe_)(const Named&) = nullptr;
  DType dtype_ = DType::f64, result_ = DType::f64;
  const PanelSums* sums_ = nullptr;
  const PanelEnd* end_ = nullptr;
  PanelExtremes::Gather extremes_ = nullptr;  // then there are no sums
  bool placed_ = false;                       // and where they stand is asked for
};

}  // namespace onefold::cpu_backend
