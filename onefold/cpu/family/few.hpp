// Folds a few contiguous elements as a panel with one answer, without a state; with sums of cubes,
// any number of them as several panels.
#pragma once

#include "onefold/cpu/panel.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/options.hpp"

namespace onefold::cpu_backend {

// The most elements per answer of a panel. Up to it, a panel takes 0.5 to 0.9 of a state's time.
inline constexpr Size most_few = panel_elements;

// Folds elements of one type with one op.
class Few {
 public:
  Few() = default;  // folds nothing
  Few(const OpRow& op, DType x, DType result);

  explicit operator bool() const { return recipe_ != nullptr; }
  // Whether sums that are known suffice (`round`).
  bool takes_sums() const { return sums_ != nullptr && round_ == end_->round; }
  bool takes(Size n) const { return recipe_ != nullptr && n <= most_; }
  // Folds aligned elements, as many as it takes. Returns false if the rounding is not proven, so
  // that exact words are needed.
  bool fold(const void* x, const void* y, Size n, NanPolicy nan, const Correction& correction,
            uint64_t* bits) const;
  // Rounds answers for n elements each, whose sums are known; writes them one after another.
  //   totals   the words from `high` on are the sum, those from `square` on the sum of squares;
  //            `used` says which are set
  //   decided  becomes 0 for an answer whose rounding is not proven, otherwise 1
  //   returns  the number of decided answers; 0 if the op needs a sum that is not known
  Size round(PanelTotals totals, Size answers, Size n, NanPolicy nan, const Correction& correction,
             std::byte* out, uint8_t* decided) const;

 private:
  bool sum_up(const Panel& panel, const QuickFormula& formula, std::byte* out) const;

  Recipe (*recipe_)(const Named&) = nullptr;
  DType dtype_ = DType::f64, result_ = DType::f64;
  Size most_ = most_few;
  const PanelSums* sums_ = nullptr;
  const PanelEnd* end_ = nullptr;
  RoundTotals round_ = nullptr;
  PanelExtremes::Gather extremes_ = nullptr;  // set for least and greatest; they need no sums
  bool placed_ = false;                       // true if the extreme's index is asked for
};

// into += from, for n answers, as PanelEnd::add of the quickest instruction set.
void add_totals(PanelTotals& into, const PanelTotals& from, Size n);

}  // namespace onefold::cpu_backend
