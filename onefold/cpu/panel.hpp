// Panels: many answers at once, each with totals of a few f64 instead of a state.
//
// There are three methods to compute totals. `rows` and `columns` are quick and need
// elements of similar exponents; `careful` takes any finite elements. If totals do not prove an
// answer's rounding, family/ computes the answer from exact words.
#pragma once

#include "onefold/core/exact/quick_formula.hpp"
#include "onefold/core/recipe.hpp"
#include "onefold/cpu/feed.hpp"
#include "onefold/cpu/processor.hpp"

namespace onefold::cpu_backend {

// Where a panel's elements are. Each element is aligned to its size; strides are in bytes.
struct Panel {
  const std::byte* x = nullptr;
  int64_t row = 0;      // stride from answer to answer
  int64_t element = 0;  // stride from element to element
  Size answers = 0, elements = 0;
  bool first = true;  // true if this is the answers' first panel
  // The second array; if there is none, the first array again.
  const std::byte* y = nullptr;
  int64_t y_row = 0, y_element = 0;
  // The elements' weights, for terms with weights.
  const std::byte* w = nullptr;
  int64_t w_row = 0, w_element = 0;
  // The position of the first element's mask, and the mask's strides, in units of the mask.
  int64_t mask = 0, mask_row = 0, mask_element = 0;
};

// Partial sums. The sum of answer a is high[a] + low[a] + rest[a], with an error of at most lost[a]
// (exact/quick.inl). A spread has the sum of squares too, both of deviations from origin[a]. Other
// formulas have up to six sums, in the order of their PanelTerms.
struct PanelTotals {
  enum Word : int {
    high,
    low,
    rest,
    lost,
    square,
    square_low,
    square_rest,
    square_lost,
    third,
    fourth = third + 4,
    fifth = fourth + 4,
    sixth = fifth + 4,
    origin = sixth + 4,  // the first word that is no sum
    origin_y,
    word_count
  };
  double* word[word_count];  // room for a multiple of 8 answers
  uint32_t used = 0;         // bit k: word[k] was written; otherwise it is 0

  PanelTotals at(Size answer) const {
    PanelTotals t = *this;
    for (double*& w : t.word) w += answer;
    return t;
  }
  bool has(Word w) const { return (used >> w & 1) != 0; }
};

// Functions that compute the totals that a statistic needs for one element type, with at most
// panel_elements elements per answer. They return false if the totals are useless. Sums with
// infinities or NaN are unknown.
struct PanelSums {
  using Gather = bool (*)(const Panel&, PanelTotals&);
  Gather rows;     // for elements that are neighbours
  Gather columns;  // for answers that are neighbours
  Gather careful;  // for any strides; always returns true
  // Sums only the infinities and NaN (their magnitudes if terms are not negative). `high`
  // becomes 0, an infinity or NaN. For any strides. Null for integers.
  Gather nonfinite;
};
inline constexpr Size panel_elements = 1024;

// Returns how many bytes ahead to prefetch columns. Rows of less than half a page are one stream;
// longer rows are a stream each. The next four rows instead of the next 1,536 bytes took 3 to 25 %
// more time (f32 and f64, 8 to 1,000 rows of 1,000 to 2^18). Zen 4's own prefetcher misses such
// short rows: 4 KB ahead took .6 to .9 of the time (24 MB, 100 to 256 columns, var and sum).
inline int64_t ahead_of_columns(int64_t row_bytes) {
  if (row_bytes < 0 || row_bytes > 2048) return 1536;
  return prefetch_ahead != 0 ? static_cast<int64_t>(prefetch_ahead) : 4096;
}

// Returns how many rows of columns to fold at a time. A few rows are as many streams, and need no
// totals in memory; 8 of many rows are slower than 4 if they are far apart.
inline constexpr Size few_rows = 16;
inline Size rows_a_step(Size rows) { return rows <= few_rows ? rows : 4; }

// Returns the functions that sum panels for a statistic; null if the target has none, or the
// statistic is an extreme. Covariance, correlation, slope and intercept share one set. Integers
// have them only for totals of one array and for products: for others, states are as quick.
const PanelSums* panel_sums(Target target, Statistic needed, DType t);
// The same for sums of terms times weights. `careful` and `nonfinite` are null.
const PanelSums* weighted_sums(Target target, Statistic needed, DType t);

// Functions that compute the least or greatest element of each of a panel's answers. `values` gets
// the elements, one after another. `places`, if not null, gets the element number in the panel
// where each first occurs; columns allow fewer than `most_placed` elements. The result is the
// number of decided answers; only if some are not, decided[a] becomes 1 for each that is, else 0.
struct PanelExtremes {
  using Gather = Size (*)(const Panel&, std::byte* values, int64_t* places, uint8_t* decided);
  struct Ways {
    Gather rows, columns;
  };
  Ways least, greatest;
  Ways magnitude;  // the greatest magnitudes, of floats; `places` is null
  Size most_placed;
};
const PanelExtremes* panel_extremes(Target target, DType t);

// into += from, for n answers whose totals have the same origins.
using AddTotals = void (*)(PanelTotals& into, const PanelTotals& from, Size n);
// Numbers of elements that differ from answer to answer. They take the place of `elements` in a
// QuickFormula, and the divisors that of n * left.
struct AnswerCounts {
  const double* elements;
  const double* divisors;  // below 2^53
};
// Rounds n answers of a formula to type `to` (i64 and u64 for sums of integers) and writes them one
// after another. If the rounding of answer a is not proven, decided[a] becomes 0, and the bytes
// written for it mean nothing. Returns the number of decided answers.
//   counts  null: the formula's. Those of weighted sums are not read
using RoundTotals = Size (*)(const QuickFormula&, const AnswerCounts* counts, DType to,
                             const PanelTotals&, Size n, std::byte* out, uint8_t* decided);
// Returns the function that rounds a statistic of several sums; null for other statistics. It
// divides a covariance by n and `left` of the QuickFormula.
RoundTotals formula_round(Target target, Statistic is);
// The same for sums of terms times weights; a total is divided by the sum of the weights. Of the
// QuickFormula only `root` is read.
RoundTotals weighted_round(Target target, Statistic is);
struct PanelEnd {
  AddTotals add;
  RoundTotals round;
};
const PanelEnd* panel_end(Target target);

}  // namespace onefold::cpu_backend
