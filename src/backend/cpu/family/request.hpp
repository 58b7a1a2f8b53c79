// Translates a plan's ops into what panels must compute.
#pragma once

#include <optional>
#include <vector>

#include "backend/cpu/family/ends.hpp"
#include "backend/cpu/panel.hpp"
#include "plan/plan.hpp"

namespace onefold::cpu_backend {

// How one op computes its answer from totals, which several ops may share.
struct Answering {
  std::size_t op;
  QuickFormula formula;
  DType to;
  std::byte* out;
  RoundTotals round = nullptr;  // null: as the formula says
};
struct Wanted {
  bool read;  // whether elements must be read
  const PanelSums* sums;
  std::vector<Answering> ops;
  // The panel that adds only selected elements, if some are left out; null if there is none. With
  // `widens` f32 elements are converted to f64 for it.
  Recipe::Name name = Recipe::Name::nothing;
  const PanelSums* taken = nullptr;
  bool widens = false;
};
struct Request {
  std::vector<Wanted> sums;
  std::vector<EndWanted> ends;
};

// Whether sums make the answer, of type `result`, that a recipe says of so many elements of type x,
// and how.
bool sums_make(const Recipe& recipe, DType x, DType result, Size elements, NanPolicy nan,
               QuickFormula& formula);

// The totals that the ops of a plan need, equal ones only once; nothing if an op needs anything
// else. straight: the addresses for the answers of each op.
std::optional<Request> request_of(const Plan& plan, Target target, const Shape& shape,
                                  std::span<std::byte* const> straight);

}  // namespace onefold::cpu_backend
