// Folds of a few contiguous elements, as a panel with one answer: no state is needed.
#pragma once

#include "backend/cpu/panel.hpp"
#include "onefold/options.hpp"
#include "plan/table.hpp"

namespace onefold::cpu_backend {

// What a panel takes of one answer; up to here this takes 0.5 to 0.9 of the time of states.
inline constexpr Size most_few = panel_elements;

// What one op makes of elements of one type.
class Few {
 public:
  Few() = default;  // of nothing
  Few(const OpRow& op, DType x, DType result);

  explicit operator bool() const { return recipe_ != nullptr; }
  // Of 1 to most_few elements, aligned to their size. False: the answer is not certain, and exact
  // words are wanted.
  bool fold(const void* x, const void* y, Size n, NanPolicy nan, const Correction& correction,
            uint64_t* bits) const;
  // Of n elements whose sums are known, each as high, low and rest.
  //   sum, squares  those that there are, else null; false too where the op needs others
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
