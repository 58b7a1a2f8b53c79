// Which launches a fold may have, and what each needs, as functions of type and accumulators. The
// host calls them to launch kernels; kernels use them at compile time.
#pragma once

#include "onefold/core/accumulators.hpp"
#include "onefold/core/dtype.hpp"
#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// The launches of one fold. `wide` adds the tiles that `first` did not fit, `bins` those that
// `wide` did not (feed/windows.hpp, feed/bins.hpp). `single` replaces all three: elements that no
// window holds go to bins of the same launch. `small` is `single` for fewer than 2^31 elements, in
// smaller parts. `digits` is `single` for chips with few FP64 lanes (feed/digit_windows.hpp).
enum class Stage : uint8_t { first, wide, bins, single, small, digits };
ONEFOLD_FN constexpr bool takes_all(Stage d) { return d >= Stage::single; }

// Returns the accumulators of a set that have a feed (feed/feeds.hpp); kernels lift the others.
ONEFOLD_FN constexpr Accumulators fed_of(DType t, Accumulators set) {
  Accumulators fed = (Accumulator::sum | Accumulator::sumabs) |
                     (Accumulator::sumsq | Accumulator::tally) | Accumulator::zeros |
                     (Accumulator::least | Accumulator::greatest);
  if (is_floating(t)) fed = fed | Accumulators(Accumulator::dot);
  return fed & set;
}

// Returns the number of bins for products (feed/product_bins.hpp), and the exponent of the first.
ONEFOLD_FN constexpr int product_bins(DType t) {
  return t == DType::f32 ? 18 : t == DType::bf16 ? 33 : 6;
}
ONEFOLD_FN constexpr int first_product_bin(DType t) {
  return t == DType::f32 ? 22 : t == DType::bf16 ? 47 : 60;
}
// Return how many f64 a bin has (feed/bins.hpp), and how many bytes a lane's bins take. The bins of
// f64 are limbs (feed/limb_bins.hpp); only for a single sum, pairs of f64 (feed/pair_bins.hpp).
ONEFOLD_FN constexpr int bin_pieces(Accumulators set) {
  return set.has(Accumulator::sum) + set.has(Accumulator::sumabs) + 2 * set.has(Accumulator::sumsq);
}
ONEFOLD_FN constexpr int bin_bytes(DType t, Accumulators set) {
  const bool dot = set.has(Accumulator::dot);
  if (t == DType::f64) {
    const int of_x = set.has(Accumulator::sum) + set.has(Accumulator::sumabs);
    const bool wide = dot || set.has(Accumulator::sumsq);
    return of_x == 1 && !wide ? 64 * 16 : 8 * (66 * of_x + 132 * wide);
  }
  if (dot) return product_bins(t) * (bytes_of(t) == 2 ? 8 : 16);
  return 16 * bin_pieces(set) * 8;
}
// Returns whether a fold only counts (end/counts.hpp).
ONEFOLD_FN constexpr bool only_counts(DType t, Accumulators set) {
  return set.within(Accumulator::zeros | Accumulator::tally) &&
         (set.has(Accumulator::zeros) || (is_floating(t) && !set.empty()));
}
// Returns whether end/indexed_extremes.hpp folds the set at Stage::small.
ONEFOLD_FN constexpr bool only_extremes(Accumulators set) {
  return set.within(Accumulator::least | Accumulator::greatest) && !set.empty();
}
// Returns whether a fold of floats has one sum and, besides it, at most the tally.
ONEFOLD_FN constexpr bool is_one_sum(Accumulators set) {
  return set.has(Accumulator::sum) != set.has(Accumulator::sumabs) &&
         set.within(Accumulator::tally | (Accumulator::sum | Accumulator::sumabs));
}
// Returns whether digits can fold the set (feed/digit_windows.hpp).
ONEFOLD_FN constexpr bool is_digits(Accumulators set) {
  return is_one_sum(set) ||
         (set.has(Accumulator::sumsq) &&
          (set.within(Accumulator::sumsq | Accumulator::tally) ||
           is_one_sum(Accumulators(set.bits & ~Accumulators(Accumulator::sumsq).bits))));
}
// Returns whether a fold has this launch. Most data need only `first`; squares also have `wide`,
// with wider windows; all else goes to bins.
ONEFOLD_FN constexpr bool has_launch(DType t, Accumulators set, Stage stage) {
  if (stage == Stage::first) return true;
  if (stage == Stage::digits) return is_floating(t) && t != DType::f64 && is_digits(set);
  if (only_counts(t, set) || only_extremes(set)) return stage == Stage::small;
  const bool real = t == DType::f32 || t == DType::f64;
  if (set.has(Accumulator::dot)) {
    return is_floating(t) && (stage == Stage::bins || stage == Stage::single);
  }
  const bool squares = set.has(Accumulator::sumsq);
  const bool sums = squares || set.has(Accumulator::sum) || set.has(Accumulator::sumabs);
  if (stage == Stage::wide) return real && squares;
  const bool only = set.within(Accumulator::sum | Accumulator::sumabs |
                               (Accumulator::sumsq | Accumulator::tally));
  if (stage == Stage::small) return only && sums;
  if (t == DType::bf16) return sums && (stage == Stage::bins || only);
  return real && sums;
}
// Returns whether near_sum.hpp folds the set, in one launch of any size.
ONEFOLD_FN constexpr bool is_near_sum(DType t, Accumulators set) {
  return (t == DType::f32 || t == DType::bf16) && is_one_sum(set);
}
// Returns whether a launch has bins in shared memory.
ONEFOLD_FN constexpr bool has_bins(DType t, Accumulators set, Stage stage) {
  return (stage == Stage::bins || takes_all(stage)) && has_launch(t, set, stage) &&
         has_launch(t, set, Stage::bins);
}

// The launches that are queued for one fold; each of them gets this list.
struct Stages {
  uint32_t grid[3] = {};   // blocks of each Stage; 0: not launched
  uint32_t warps = 0;      // of each block of the first launch
  uint32_t bin_warps = 0;  // warps of a block with bins, limited by shared memory
  // Once so many warps have listed tiles, whole blocks list all of theirs.
  uint32_t enough = 1 << 10;
  uint32_t at_once = ~0u;  // blocks that the device can run at the same time
  // The launch returns at once unless a long row before it left the answer undecided.
  bool if_undecided = false;

  ONEFOLD_KERNEL uint32_t stride() const { return grid[0] * warps; }
  // Returns the number of blocks of the launches before this one.
  ONEFOLD_KERNEL uint32_t before(Stage d) const {
    if (takes_all(d)) return 0;
    return (d > Stage::first ? grid[0] : 0) + (d > Stage::wide ? grid[1] : 0);
  }
  ONEFOLD_KERNEL bool followed(Stage d) const {
    return d < Stage::bins && grid[static_cast<int>(Stage::bins)] != 0;
  }
};

}  // namespace onefold::kernel
