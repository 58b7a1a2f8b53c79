// A loop nest (onefold/engine/plan/nest.hpp) as an argument of a kernel, and the addresses of its
// elements and answers.
#pragma once

#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// The kinds of kernels. `whole` reads a contiguous array (whole.hpp), most others a loop nest
// (axes.hpp). `ranks` reads states (ranks.hpp), `labels` sorts elements by label (labels/sort.hpp),
// `label_sums` adds them by label without sorting (labels/sums.hpp), `keys` numbers keys
// (labels/keys.hpp). `undecided` runs after another kernel and recomputes the answers that it has
// noted.
enum class Walk : uint8_t {
  whole,
  nest,
  short_rows,
  columns,
  segments,
  long_segments,
  ranks,
  labels,
  segment_words,
  label_sums,
  undecided,
  undecided_segments,
  windows,         // of a rule; those that it leaves undecided are segments
  even_columns,    // whole vector loads only
  single_columns,  // a lane has one column, and loads it element by element
  even_rows,       // a row has one lane; then 2, 4, .. 32 lanes
  any_rows = even_rows + 6,
  long_rows,  // a warp folds one row or a part of it
  keys,
  // `weighted` (weighted/walk.hpp), then the kernel for the answers that it leaves undecided.
  weighted,
  undecided_weighted,
  scan,        // scan/scan.hpp
  short_scan,  // by small blocks
  // The launches of a product of matrices (matrix/matrix.hpp).
  matrix_survey,
  matrix_split,
  matrix_multiply,
  matrix_answer,
  matrix_entries,
  matrix_doubles,
  // The launches of quantiles (quantile/quantile.hpp).
  quantile_rows,
  quantile_sample,
  quantile_bracket,
  quantile_pass,
  quantile_answers,
  quantile_segments,
  quantile_weights,
  bins,  // quantile/bins.hpp
  // Functions of exponentials (exponential/exponential.hpp), of slices and of elements; then the
  // kernels for the slices that they leave undecided.
  logsumexp,
  softmax,
  softmax_held,  // by threads that hold their elements
  logsumexp_again,
  softmax_again,
  logsumexp_state,
  logsumexp_merge,
  // Of rms_norm and layer_norm (layer_norm/layer_norm.hpp).
  norm,
  norm_held,
  norm_again
};
// Values of `bits`: a row has 2^bits lanes. `any_bits`: the launch sets the number; `long_bits`: a
// warp or several.
inline constexpr unsigned any_bits = 6, long_bits = 7;
constexpr Walk rows_by(unsigned bits) {
  return static_cast<Walk>(static_cast<unsigned>(Walk::even_rows) + bits);
}
constexpr bool is_rows(Walk w) { return w >= Walk::even_rows && w <= Walk::long_rows; }

constexpr bool is_matrix(Walk w) { return w >= Walk::matrix_survey && w <= Walk::matrix_doubles; }
constexpr bool is_quantile(Walk w) {
  return w >= Walk::quantile_rows && w <= Walk::quantile_weights;
}
constexpr bool is_row_function(Walk w) { return w >= Walk::logsumexp; }
constexpr bool is_norm(Walk w) { return w >= Walk::norm; }
constexpr bool is_columns(Walk w) {
  return w == Walk::columns || w == Walk::even_columns || w == Walk::single_columns;
}

inline constexpr unsigned most_axes = 16;

// Strides are in elements, the third (the mask's) in bytes; a step is in answers (kept axis) or
// indices (folded axis).
struct NestAxis {
  Size extent = 1;
  int64_t stride[3] = {};
  int64_t step = 0;
};

// Selection and companion inputs: a mask, omitted NaN and an initial element; a second array.
struct ElementSelection {
  bool masked = false;   // elements whose byte in the mask is 0 are left out
  bool omit = false;     // NaN are left out
  bool initial = false;  // each answer gets one more element, with these bits
  uint64_t bits = 0;
};

// Windows (backend::Windows). By a rule one ends behind element i * step + ahead of its line, and
// has the `width` elements before its end that the line has; else their borders are offsets.
struct WindowRule {
  Size count = 0;  // windows of a line; 0: segments are no windows
  Size width = 0;  // 0: there is no rule
  Size inner = 1;  // neighbouring lines, whose answers lie side by side
  Size step = 1;
  int64_t ahead = 0;
  Size least = 0;   // a window of fewer elements has no answer
  Size widths = 0;  // elements of all windows of a line, each counted for each

  // Returns element `place` of a line of n, or the nearest of its borders.
  ONEFOLD_KERNEL static Size within(int64_t place, Size n) {
    return place < 0 ? 0 : static_cast<Size>(place) < n ? static_cast<Size>(place) : n;
  }
  ONEFOLD_KERNEL int64_t end(Size i) const { return static_cast<int64_t>(i * step) + ahead + 1; }
};

template <class M, class T>
struct NestInput {
  In<M, T> x, y;  // addresses of the first element
  In<M, uint8_t> mask;
  Size answers = 0, elements = 0, repeats = 1;
  Size answer = 0, index = 0;  // number of the answer and index of the element at the nest's begin
  uint32_t kept = 0, folded = 0;  // numbers of axes: first kept, then folded ones; fastest first
  ElementSelection chosen;        // for kernels that select elements
  In<M, int64_t> offsets = {};    // segments' offsets, as int64, or as int32 if narrow
  bool narrow_offsets = false;
  Size ends = 1;            // segment i ends at offset i + ends
  WindowRule windows = {};  // of which segments are
  NestAxis axis[most_axes];
};

// By 32 bits if both numbers fit: that takes a third of the time.
ONEFOLD_KERNEL Size quotient_of(Size a, Size b) {
  return (a | b) >> 32 == 0 ? Size{static_cast<uint32_t>(a) / static_cast<uint32_t>(b)} : a / b;
}
ONEFOLD_KERNEL uint32_t quotient_of(uint32_t a, Size b) { return a / static_cast<uint32_t>(b); }

// Offsets of an element or answer of the nest from the first one.
struct Spot {
  int64_t x = 0, y = 0, step = 0, mask = 0;
  ONEFOLD_KERNEL Spot from(const Spot& s) const {
    return {x - s.x, y - s.y, step - s.step, mask - s.mask};
  }
};
ONEFOLD_KERNEL Spot step_of(const NestAxis& axis, Size n) {
  const auto i = static_cast<int64_t>(n);
  return {i * axis.stride[0], i * axis.stride[1], i * axis.step, i * axis.stride[2]};
}
//   I   uint32_t if i is below 2^32
template <bool two, bool selects = false, class Input, class I>
ONEFOLD_KERNEL Spot spot_of(const Input& input, unsigned begin, unsigned count, I i) {
  Spot s;
  ONEFOLD_NO_UNROLL
  for (unsigned k = begin; k < begin + count; ++k) {
    const NestAxis& a = input.axis[k];
    I at = i;
    if (k + 1 < begin + count) {
      const I next = quotient_of(i, a.extent);
      at = i - next * static_cast<I>(a.extent);
      i = next;
    }
    s.x += static_cast<int64_t>(at) * a.stride[0];
    if constexpr (two) s.y += static_cast<int64_t>(at) * a.stride[1];
    if constexpr (selects) s.mask += static_cast<int64_t>(at) * a.stride[2];
    s.step += static_cast<int64_t>(at) * a.step;
  }
  return s;
}
// As above, for several kept axes. Not inlined, since kernels call it for many answers in a row.
template <bool two, bool selects = false, class Input>
ONEFOLD_KERNEL_COLD Spot answer_of_several(const Input& input, Size i) {
  return spot_of<two, selects>(input, 0, input.kept, i);
}
template <bool two, bool selects = false, class Input>
ONEFOLD_KERNEL Spot answer_at(const Input& input, Size i) {
  if (input.kept > 1) return answer_of_several<two, selects>(input, i);
  const NestAxis& a = input.axis[0];
  const auto at = static_cast<int64_t>(input.kept == 0 ? 0 : i);
  return {.x = at * a.stride[0],
          .y = two ? at * a.stride[1] : 0,
          .step = at * a.step,
          .mask = selects ? at * a.stride[2] : 0};
}
template <bool two, bool selects = false, class Input>
ONEFOLD_KERNEL Spot element_at(const Input& input, Size i) {
  return spot_of<two, selects>(input, input.kept, input.folded, i);
}
// Returns whether the mask selects an element of an answer.
template <class Input>
ONEFOLD_KERNEL bool is_there(const Input& input, const Spot& answer, const Spot& element) {
  if (!input.chosen.masked) return true;
  const uint8_t taken = input.mask[answer.mask + element.mask];
  return taken != 0;
}

}  // namespace onefold::kernel
