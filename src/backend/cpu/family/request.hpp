// Translates a plan's ops into what panels must compute.
#pragma once

#include <optional>
#include <vector>

#include "backend/cpu/family/ends.hpp"
#include "backend/cpu/panel.hpp"
#include "plan/plan.hpp"

namespace onefold::cpu_backend {

// What one op makes of totals that several may share.
struct Answering {
  std::size_t op;
  QuickFormula formula;
  DType to;
  std::byte* out;
  RoundTotals round = nullptr;  // null: as the formula says
};
struct Wanted {
  bool read;  // else the elements need not be
  const PanelSums* sums;
  std::vector<Answering> ops;
  // What gathers the elements that are taken where some are left out, null if nothing does; f32
  // become f64 for it where `widens`.
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

// What the ops take of totals, those of one kind together; nothing if one takes something else.
// straight: where the answers to each op go.
std::optional<Request> request_of(const Plan& plan, Target target, const Shape& shape,
                                  std::span<std::byte* const> straight);

}  // namespace onefold::cpu_backend
