// Folds a few contiguous elements as a panel with one answer, without a state.
#pragma once

#include "backend/cpu/panel.hpp"
#include "onefold/options.hpp"
#include "plan/table.hpp"

namespace onefold::cpu_backend {

// The most elements per answer of a panel. Up to it, a panel takes 0.5 to 0.9 of a state's time.
inline constexpr Size most_few = panel_elements;

// Folds a few elements of one type with one op.
class Few {
 public:
  Few() = default;  // folds nothing
  Few(const OpRow& op, DType x, DType result);

  explicit operator bool() const { return recipe_ != nullptr; }
  // Folds 1 to most_few aligned elements. Returns false if the rounding is not proven, so that
  // exact words are needed.
  bool fold(const void* x, const void* y, Size n, NanPolicy nan, const Correction& correction,
            uint64_t* bits) const;
  // Rounds the answer for n elements whose sums are known, each as its words high, low and rest.
  //   sum, squares  null if not known; returns false if the op needs a sum that is not known
  bool round(const double* sum, const double* squares, Size n, NanPolicy nan,
             const Correction& correction, uint64_t* bits) const;

 private:
  bool sum_up(const Panel& panel, const QuickFormula& formula, std::byte* out) const;

  Recipe (*recipe_)(const Named&) = nullptr;
  DType dtype_ = DType::f64, result_ = DType::f64;
  const PanelSums* sums_ = nullptr;
  const PanelEnd* end_ = nullptr;
  PanelExtremes::Gather extremes_ = nullptr;  // set for least and greatest; they need no sums
  bool placed_ = false;                       // true if the extreme's index is asked for
};

}  // namespace onefold::cpu_backend
