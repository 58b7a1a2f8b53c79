// Translates a plan's ops into what panels must compute.
#pragma once

#include <optional>
#include <vector>

#include "onefold/cpu/family/ends.hpp"
#include "onefold/cpu/panel.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::cpu_backend {

// How one op computes its answer from totals; several ops may share totals.
struct SumAnswer {
  std::size_t op;
  QuickFormula formula;
  DType to;
  std::byte* out;
  RoundTotals round = nullptr;  // null: rounds by the formula
};
// Totals that panels compute, and the ops that they answer.
struct SumRequest {
  bool read;  // whether elements must be read
  const PanelSums* sums;
  std::vector<SumAnswer> ops;
  // If elements are left out: the statistic and the functions by which a panel adds only the
  // selected ones; null: there are none. If `widens`, f32 elements are first converted to f64.
  Statistic of = Statistic::nothing;
  const PanelSums* taken = nullptr;
  bool widens = false;
};
struct Request {
  std::vector<SumRequest> sums;
  std::vector<ExtremeRequest> ends;
};

// Returns whether sums suffice for a recipe's answer of type `result` from `elements` elements of
// type x; sets the formula.
bool sums_make(const Recipe& recipe, DType x, DType result, Size elements, NanPolicy nan,
               QuickFormula& formula);

// Returns the totals that a plan's ops need, each once; nothing if an op needs anything else.
// straight: for each op, where its answers are written.
std::optional<Request> request_of(const Plan& plan, Target target, const Shape& shape,
                                  std::span<std::byte* const> straight);

// Returns the totals that a plan's accumulators need; nothing if panels do not compute one of them.
Request totals_of(const Plan& plan, Target target);

}  // namespace onefold::cpu_backend
