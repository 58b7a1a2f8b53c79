#include "onefold/cpu/family/few.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/core/named.hpp"
#include "onefold/cpu/family/request.hpp"
#include "onefold/cpu/family/room.hpp"

namespace onefold::cpu_backend {

Few::Few(const OpRow& op, DType x, DType result) : dtype_(x), result_(result) {
  const Target target = usable_targets()[0];
  end_ = panel_end(target);
  if (op.recipe == nullptr || end_ == nullptr || !totals_are_trusted()) return;
  const Recipe recipe = op.recipe({.n = most_few, .correction = {}});
  const Statistic of = recipe.numerator.of;
  if (of == Statistic::least || of == Statistic::greatest) {
    const PanelExtremes* const ways = panel_extremes(target, x);
    if (ways == nullptr || result != (recipe.index ? DType::i64 : x)) return;
    placed_ = recipe.index;
    extremes_ = (of == Statistic::least ? ways->least : ways->greatest).rows;
  } else if (is_floating(x) && (is_sum(of) || is_moment(of))) {  // else states are quicker
    QuickFormula formula;
    if (!sums_make(recipe, x, result, most_few, NanPolicy::propagate, formula)) return;
    sums_ = panel_sums(target, of, x);
    if (sums_ == nullptr) return;
    round_ = is_moment(of) ? formula_round(target, of) : end_->round;
    if (is_moment(of)) most_ = ~Size{0};
  } else {
    return;
  }
  recipe_ = op.recipe;
}

void add_totals(PanelTotals& into, const PanelTotals& from, Size n) {
  panel_end(usable_targets()[0])->add(into, from, n);
}

bool Few::sum_up(const Panel& panel, const QuickFormula& formula, std::byte* out) const {
  constexpr Size room = 8;  // vector stores write so many
  alignas(64) double words[2][PanelTotals::word_count][room];
  PanelTotals totals, more;
  for (int w = 0; w < PanelTotals::word_count; ++w) {
    totals.word[w] = words[0][w];
    more.word[w] = words[w < PanelTotals::origin ? 1 : 0][w];
  }
  // Returns whether all panels were quick.
  const auto gather = [&](bool carefully) {
    bool quick = true;
    for (Size at = 0; at < panel.elements; at += panel_elements) {
      Panel p = panel;
      p.x += static_cast<int64_t>(at) * p.element;
      if (p.y != nullptr) p.y += static_cast<int64_t>(at) * p.y_element;
      p.elements = std::min(panel_elements, panel.elements - at);
      p.first = at == 0;
      PanelTotals& to = at == 0 ? totals : more;
      if (carefully || !sums_->rows(p, to)) quick = !sums_->careful(p, to);
      if (at != 0) end_->add(totals, more, 1);
    }
    return quick;
  };
  uint8_t decided = 0;
  const bool quick = gather(false);
  if (round_(formula, nullptr, result_, totals, 1, out, &decided) == 1) return true;
  if (!quick || panel.elements > most_few) return false;
  gather(true);
  return round_(formula, nullptr, result_, totals, 1, out, &decided) == 1;
}

Size Few::round(PanelTotals totals, Size answers, Size n, NanPolicy nan,
                const Correction& correction, std::byte* out, uint8_t* decided) const {
  std::memset(decided, 0, answers);
  const Recipe recipe = recipe_({.n = n, .nan = nan, .correction = correction});
  const Statistic of = recipe.numerator.of;
  const bool sum = totals.has(PanelTotals::high), squares = totals.has(PanelTotals::square);
  const bool has = (of == total_of(Term::x) && sum) || (of == total_of(Term::xx) && squares) ||
                   (of == Statistic::variance && sum && squares);
  QuickFormula formula;
  if (!has || !sums_make(recipe, dtype_, result_, n, nan, formula)) return 0;
  if (of == total_of(Term::xx)) {
    std::copy_n(totals.word + PanelTotals::square, 4, totals.word + PanelTotals::high);
    totals.used = totals.used >> PanelTotals::square & 15u;
  }
  const FlagsGuard mode;
  Size sure = end_->round(formula, nullptr, result_, totals, answers, out, decided);
  // The sign of a sum of 0 is not known.
  for (Size i = 0; i < answers; ++i) {
    if (totals.word[PanelTotals::high][i] != 0 || decided[i] == 0) continue;
    decided[i] = 0;
    --sure;
  }
  return sure;
}

bool Few::fold(const void* x, const void* y, Size n, NanPolicy nan, const Correction& correction,
               uint64_t* bits) const {
  const auto bytes = static_cast<int64_t>(bytes_of(dtype_));
  const Panel panel{.x = static_cast<const std::byte*>(x),
                    .element = bytes,
                    .answers = 1,
                    .elements = n,
                    .y = static_cast<const std::byte*>(y),
                    .y_element = bytes};
  alignas(8) std::byte answer[8] = {};  // little-endian
  bool sure = false;
  const FlagsGuard mode;
  if (extremes_ != nullptr) {
    int64_t place = 0;
    uint8_t decided = 0;
    sure = extremes_(panel, answer, placed_ ? &place : nullptr, &decided) == 1;
    if (placed_) std::memcpy(answer, &place, sizeof place);
  } else {
    QuickFormula formula;
    const Recipe recipe = recipe_({.n = n, .nan = nan, .correction = correction});
    sure = sums_make(recipe, dtype_, result_, n, nan, formula) && sum_up(panel, formula, answer);
  }
  std::memcpy(bits, answer, sizeof answer);
  return sure;
}

}  // namespace onefold::cpu_backend
