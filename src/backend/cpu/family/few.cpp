#include "backend/cpu/family/few.hpp"

#include <cstring>

#include "backend/cpu/family/request.hpp"
#include "backend/cpu/family/room.hpp"
#include "onefold/named.hpp"

namespace onefold::cpu_backend {

Few::Few(const OpRow& op, DType x, DType result) : dtype_(x), result_(result) {
  const Target target = usable_targets()[0];
  end_ = panel_end(target);
  if (op.recipe == nullptr || end_ == nullptr || !totals_are_trusted()) return;
  const Recipe recipe = op.recipe({.n = most_few, .correction = {}});
  const Recipe::Name name = recipe.numerator.name;
  if (name == Recipe::Name::least || name == Recipe::Name::greatest) {
    const PanelExtremes* const ways = panel_extremes(target, x);
    if (ways == nullptr || result != (recipe.index ? DType::i64 : x)) return;
    placed_ = recipe.index;
    extremes_ = (name == Recipe::Name::least ? ways->least : ways->greatest).rows;
  } else if (is_floating(x) && name != Recipe::Name::zeros) {  // for these types states are quicker
    QuickFormula formula;
    if (!sums_make(recipe, x, result, most_few, NanPolicy::propagate, formula)) return;
    sums_ = panel_sums(target, name, x);
    if (sums_ == nullptr) return;
  } else {
    return;
  }
  recipe_ = op.recipe;
}

bool Few::sum_up(const Panel& panel, const QuickFormula& formula, std::byte* out) const {
  constexpr Size room = 8;  // vector stores write so many
  alignas(64) double words[Totals::word_count][room];
  Totals totals;
  for (int w = 0; w < Totals::word_count; ++w) totals.word[w] = words[w];
  uint8_t decided = 0;
  if (sums_->rows(panel, totals) && end_->round(formula, result_, totals, 1, out, &decided) == 1) {
    return true;
  }
  sums_->careful(panel, totals);
  return end_->round(formula, result_, totals, 1, out, &decided) == 1;
}

bool Few::round(const double* sum, const double* squares, Size n, NanPolicy nan,
                const Correction& correction, uint64_t* bits) const {
  const Recipe recipe = recipe_({.n = n, .nan = nan, .correction = correction});
  const Recipe::Name name = recipe.numerator.name;
  const double* const first = name == Recipe::Name::sumsq ? squares : sum;
  const bool spread = name == Recipe::Name::spread;
  const bool has = (name == Recipe::Name::sum && sum != nullptr) ||
                   (name == Recipe::Name::sumsq && squares != nullptr) ||
                   (spread && sum != nullptr && squares != nullptr);
  QuickFormula formula;
  if (!has || !sums_make(recipe, dtype_, result_, n, nan, formula) || first[0] == 0) return false;
  constexpr Size room = 8;  // vector loads read so many
  alignas(64) double words[Totals::word_count][room] = {};
  Totals totals;
  for (int w = 0; w < Totals::word_count; ++w) totals.word[w] = words[w];
  for (int k = 0; k < 3; ++k) {
    words[Totals::high + k][0] = first[k];
    totals.used |= 1u << (Totals::high + k);
    if (!spread) continue;
    words[Totals::square + k][0] = squares[k];
    totals.used |= 1u << (Totals::square + k);
  }
  alignas(8) std::byte answer[8] = {};
  uint8_t decided = 0;
  const Mode mode;
  if (end_->round(formula, result_, totals, 1, answer, &decided) != 1) return false;
  std::memcpy(bits, answer, sizeof answer);
  return true;
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
  const Mode mode;
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
