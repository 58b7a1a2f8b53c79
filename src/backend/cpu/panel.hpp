// Panels: many answers at once, each with totals of a few f64 instead of a state.
//
// There are three methods (tiers) to compute totals. `rows` and `columns` are quick and need
// elements of similar exponents; `careful` takes any finite elements. If totals do not prove an
// answer's rounding, family/ computes the answer from exact words.
#pragma once

#include "backend/cpu/feed.hpp"
#include "onefold/exact/quick_formula.hpp"
#include "onefold/recipe.hpp"

namespace onefold::cpu_backend {

// The elements of `answers` answers, each at a multiple of its size; strides in bytes.
struct Panel {
  const std::byte* x = nullptr;
  int64_t row = 0;      // stride from answer to answer
  int64_t element = 0;  // stride from element to element
  Size answers = 0, elements = 0;
  bool first = true;  // nothing of these answers came before
  // The second array, read element by element; without one, the first array again.
  const std::byte* y = nullptr;
  int64_t y_row = 0, y_element = 0;
  // The position of the first element's mask, and the mask's strides, in units of the mask.
  int64_t mask = 0, mask_row = 0, mask_element = 0;
};

// Answer a's sum is high[a] + low[a] + rest[a], give or take lost[a] (exact/quick.inl); for a
// spread there is the sum of squares beside it, both of what elements differ from origin[a]. Two
// inputs' relations have the sum of products in place of the sum, and further sums behind.
struct Totals {
  enum Word : int {
    high,
    low,
    rest,
    lost,
    square,
    square_low,
    square_rest,
    square_lost,
    square_y,
    sum_x = square_y + 4,
    sum_y = sum_x + 4,
    origin = sum_y + 4,  // and what no sums are
    origin_y,
    word_count
  };
  double* word[word_count];  // room for a multiple of 8 answers
  uint32_t used = 0;         // bit k: word[k] was written, else it is 0

  Totals at(Size answer) const {
    Totals t = *this;
    for (double*& w : t.word) w += answer;
    return t;
  }
  bool has(Word w) const { return (used >> w & 1) != 0; }
};

// Ways to gather what recipes name `name`, of one element type: at most panel_elements an answer.
// False: the totals are of no use. What is not finite is not known.
struct PanelSums {
  using Gather = bool (*)(const Panel&, Totals&);
  Gather rows;     // elements are neighbours
  Gather columns;  // answers are neighbours
  Gather careful;  // any strides, and always true
  // The sum of what is not finite alone, or of its magnitudes where `name` sums what is not
  // negative: 0, an infinity or NaN in `high`. Any strides. Null for integers.
  Gather nonfinite;
};
inline constexpr Size panel_elements = 1024;

// Null where a target has none, or for names that are no sums.
const PanelSums* panel_sums(Target target, Recipe::Name name, DType t);

// Extremes of a panel's answers, as elements side by side, and where they first stand if `places`
// is not null: by element of the panel, of which there are fewer than `most_placed` in columns.
// decided and the number returned as below.
struct PanelExtremes {
  using Gather = Size (*)(const Panel&, std::byte* values, int64_t* places, uint8_t* decided);
  struct Ways {
    Gather rows, columns;
  };
  Ways least, greatest;
  Size most_placed;
};
const PanelExtremes* panel_extremes(Target target, DType t);

// into += from, n answers each, of one origin.
using AddTotals = void (*)(Totals& into, const Totals& from, Size n);
// Rounds n answers of a formula to type `to`, i64 and u64 for sums of integers, and writes them
// side by side. decided[a] is 0 where nothing was written. Returns how many are decided.
using RoundTotals = Size (*)(const QuickFormula&, DType to, const Totals&, Size n, std::byte* out,
                             uint8_t* decided);
struct PanelEnd {
  AddTotals add;
  RoundTotals round;
};
const PanelEnd* panel_end(Target target);

}  // namespace onefold::cpu_backend
