#include "onefold/cuda/tuning.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

#include "onefold/core/layer_norm/exact.hpp"
#include "onefold/core/moment_numbers.hpp"
#include "onefold/core/weighted.hpp"
#include "onefold/cuda/kernel/exponential/input.hpp"
#include "onefold/cuda/kernel/labels/keys.hpp"
#include "onefold/cuda/kernel/labels/sort.hpp"
#include "onefold/cuda/kernel/labels/sums.hpp"
#include "onefold/cuda/kernel/matrix/input.hpp"
#include "onefold/cuda/kernel/number/digit_pool.hpp"
#include "onefold/cuda/kernel/quantile/bins.hpp"
#include "onefold/cuda/kernel/quantile/input.hpp"
#include "onefold/cuda/kernel/quantile/weight_bits.hpp"
#include "onefold/cuda/kernel/quick/needed_totals.hpp"
#include "onefold/cuda/kernel/scan/input.hpp"
#include "onefold/cuda/kernel/schedule/ring.hpp"
#include "onefold/cuda/kernel/weighted/input.hpp"
#include "onefold/cuda/kernel/window_tile.hpp"
#include "onefold/cuda/tuning_axes_rows.hpp"

namespace onefold::cuda_backend {

using namespace tuning;

namespace {

bool is_newer(std::string_view chip) {
  int number = 0;
  std::from_chars(chip.data() + std::min<std::size_t>(3, chip.size()), chip.data() + chip.size(),
                  number);
  return number > 90;
}

bool holds(const Tuning& row, const KernelKey& key, bool newer) {
  return (row.stages & bit(key.stage)) != 0 && (row.types & bit(key.dtype)) != 0 &&
         (row.folds & bit(fold_of(key.dtype, key.set))) != 0 && row.has.within(key.set) &&
         (row.any.empty() || !(row.any & key.set).empty()) && key.set.within(row.within) &&
         std::popcount(key.set.bits) > row.more_than &&
         kernel::bin_bytes(key.dtype, key.set) <= row.most_bin_bytes && (!row.newer || newer);
}

// Returns the shape with as many warps as have bins in `room` bytes; nothing if another row must be
// tried.
std::optional<KernelShape> fitted(const KernelShape& wanted, const Room& how, int room, int of_warp,
                                  int ring_of_warp) {
  KernelShape shape = wanted;
  const int fit = of_warp == 0 ? how.warps : std::clamp(room / of_warp, 0, how.warps);
  const auto blocks_of = [&](int warps) {
    return std::clamp(room / (warps * (of_warp + ring_of_warp) + how.beside), 1, wanted.blocks);
  };
  switch (how.way) {
    case Room::none:
      return shape;
    case Room::all:
      if (fit < how.warps) return {};
      shape.bins = how.warps;
      shape.blocks = blocks_of(how.warps);
      break;
    case Room::fewer:
      shape.warps = shape.bins = fit;
      if (fit > 0) shape.blocks = blocks_of(fit);
      break;
    case Room::shared:
      shape.bins = std::min(how.warps, (room / wanted.blocks - how.beside) / of_warp);
      if (shape.bins <= 0) shape.warps = 0;
      break;
    case Room::filled:
    case Room::halved:
      shape.blocks = how.way == Room::halved && fit > 0 && fit % 2 == 0 ? 2 : 1;
      shape.warps = shape.bins = fit / shape.blocks;
      shape.waves = shape.blocks;
      break;
  }
  if (how.waves_each != 0) shape.waves = how.waves_each * shape.blocks;
  if (shape.warps <= 0) shape.warps = 0;
  return shape;
}

struct Choice {
  const Tuning* row;
  KernelShape shape;
};
Choice choose(const KernelKey& key, std::string_view chip, std::size_t shared_bytes) {
  const bool newer = is_newer(chip);
  const int room = static_cast<int>(shared_bytes) - 3 * kib;  // the rest is for other arrays
  const bool ring = kernel::has_ring(key.dtype, key.set, key.stage);
  for (const Tuning& row : rows) {
    if (!holds(row, key, newer)) continue;
    KernelShape wanted = row.shape;
    if (newer && row.newer_blocks != 0) wanted.blocks = row.newer_blocks;
    const auto shape = fitted(wanted, row.room, room, 32 * kernel::bin_bytes(key.dtype, key.set),
                              ring ? kernel::ring_bytes(key.set, wanted.loads) : 0);
    if (shape) return {&row, *shape};
  }
  return {nullptr, {.warps = 0}};
}

// The most warps of a block; the launch sets the number.
KernelShape of_threads(unsigned threads, int blocks) {
  return {.warps = static_cast<int>(threads / 32), .loads = 1, .blocks = blocks};
}

KernelShape matrix_shape(const KernelKey& key) {
  switch (key.walk) {
    case kernel::Walk::matrix_multiply:
      return of_threads(kernel::multiply_threads, 2);
    case kernel::Walk::matrix_doubles:
      return of_threads(kernel::multiply_threads, bytes_of(key.dtype) == 8
                                                      ? kernel::doubles_blocks<double>
                                                      : kernel::doubles_blocks<float>);
    case kernel::Walk::matrix_split:
      return of_threads(kernel::matrix_threads, bytes_of(key.dtype) == 8 ? 3 : 4);
    default:
      return of_threads(kernel::matrix_threads, 2);
  }
}
KernelShape quantile_shape(const KernelKey& key) {
  switch (key.walk) {
    case kernel::Walk::quantile_rows:
      return of_threads(kernel::quantile_row_threads, 3);
    case kernel::Walk::quantile_segments:
      return of_threads(kernel::quantile_row_threads, key.wide ? 1 : 2);
    case kernel::Walk::quantile_weights:
      return of_threads(kernel::weight_threads, key.wide ? 4 : 3);
    case kernel::Walk::quantile_sample:
      return of_threads(kernel::quantile_sample_threads, 1);
    default:
      // With 64 registers the brackets of several levels are on the stack.
      return of_threads(kernel::quantile_threads, key.wide ? 2 : 4);
  }
}
KernelShape row_function_shape(const KernelKey& key) {
  switch (key.walk) {
    case kernel::Walk::softmax_held:
    case kernel::Walk::norm_held:
    case kernel::Walk::norm: {
      // As many as there are registers for.
      const Size bytes = key.walk == kernel::Walk::softmax_held ? bytes_of(key.dtype) : 4;
      return of_threads(kernel::held_threads, bytes == 8 ? 2 : bytes == 2 ? 3 : 4);
    }
    case kernel::Walk::logsumexp_state:
      return of_threads(kernel::state_threads, 3);
    case kernel::Walk::logsumexp_merge:
      return of_threads(kernel::state_threads, 1);
    case kernel::Walk::logsumexp_again:
    case kernel::Walk::softmax_again:
    case kernel::Walk::norm_again:
      return of_threads(kernel::again_threads, 1);
    default:
      return of_threads(kernel::exponential_threads, 2);
  }
}

KernelShape axes_shape(const KernelKey& key, std::size_t shared_bytes) {
  if (is_weighted(key)) return of_threads(kernel::weighted_threads, 2);
  // Scans have 80 registers. With 64 some are on the stack.
  if (key.walk == kernel::Walk::scan) return of_threads(32 * kernel::scan_warps, 3);
  if (key.walk == kernel::Walk::short_scan) return of_threads(32 * kernel::short_scan_warps, 12);
  if (kernel::is_matrix(key.walk)) return matrix_shape(key);
  if (key.walk == kernel::Walk::bins) return of_threads(kernel::bin_threads, 5);
  if (kernel::is_quantile(key.walk)) return quantile_shape(key);
  if (kernel::is_row_function(key.walk)) return row_function_shape(key);
  if (key.walk == kernel::Walk::labels) return of_threads(32 * kernel::label_warps, 2);
  if (key.walk == kernel::Walk::keys) return of_threads(32 * kernel::key_warps, 2);
  if (key.walk == kernel::Walk::label_sums) {
    return {.warps = static_cast<int>(kernel::label_sum_warps),
            .loads = 1,
            .blocks = 2,
            .bins = static_cast<int>(most_table_bytes(shared_bytes) / kib)};
  }
  const int words =
      visit(key.dtype, [&]<class T>() { return kernel::total_words_of<T>(key.ops, key.selects); });
  if (key.walk == kernel::Walk::windows) {
    const unsigned warps =
        visit(key.dtype, [&]<class T>() { return kernel::window_warps<T>(key.ops); });
    return of_threads(32 * warps, static_cast<int>(24 / warps));
  }
  const bool pairs = !key.set.of_pairs().empty();
  const auto row = std::ranges::find_if(axes_rows, [&](const AxesTuning& r) {
    return (r.walks & bit(key.walk)) != 0 && (r.types & bit(key.dtype)) != 0 &&
           r.selects.value_or(key.selects) == key.selects && r.pairs.value_or(pairs) == pairs &&
           words <= r.most_words;
  });
  return {.warps = 8, .loads = 1, .blocks = row->blocks};
}

}  // namespace

Size most_table_bytes(std::size_t shared_bytes) {
  return std::max<Size>(kernel::label_table_bytes, (shared_bytes / kib - 1) * kib);
}

Fold fold_of(DType t, Accumulators set) {
  if (is_floating(t) && set.has(Accumulator::dot)) return Fold::products;
  if (kernel::is_near_sum(t, set)) return Fold::near_sums;
  if (kernel::only_counts(t, set)) return Fold::counts;
  if (kernel::only_extremes(set)) return Fold::extremes;
  return is_floating(t) && !(set & any_sum).empty() ? Fold::sums : Fold::others;
}

// CUDA C++ Programming Guide, throughput of arithmetic instructions.
bool has_few_f64(std::string_view chip) {
  return chip != "sm_60" && chip != "sm_70" && chip != "sm_80" && chip != "sm_90" &&
         chip != "sm_100";
}

// PTX ISA, mma with f64: from sm_80 on.
bool multiplies_f64(std::string_view chip) {
  return !has_few_f64(chip) && chip != "sm_60" && chip != "sm_70";
}

std::span<const Tuning> tunings() { return rows; }

KernelShape shape_of(const KernelKey& key, std::string_view chip, std::size_t shared_bytes) {
  if (key.walk != kernel::Walk::whole) return axes_shape(key, shared_bytes);
  return choose(key, chip, shared_bytes).shape;
}
const Tuning* tuning_of(const KernelKey& key, std::string_view chip, std::size_t shared_bytes) {
  return choose(key, chip, shared_bytes).row;
}

Size most_bytes_of(const KernelKey& key, const KernelShape& shape, int multiprocessors) {
  if (!kernel::has_launch(key.dtype, key.set, key.stage) || shape.warps == 0) return 0;
  for (const LaunchLimit& row : launch_limits) {
    if ((row.stages & bit(key.stage)) == 0 || (row.types & bit(key.dtype)) == 0 ||
        (row.folds & bit(fold_of(key.dtype, key.set))) == 0 || shape.blocks > row.most_blocks ||
        (row.few_bins && shape.bins >= shape.warps)) {
      continue;
    }
    return row.each_multiprocessor ? row.bytes * static_cast<Size>(multiprocessors) : row.bytes;
  }
  return 0;
}

Size least_long_row(DType t, Accumulators set) {
  if (fold_of(t, set) != Fold::sums || !set.within(any_sum | tally)) return ~Size{0};
  for (const LongRow& row : long_row_sizes) {
    if ((row.types & bit(t)) != 0 && row.has.within(set)) return row.bytes;
  }
  return ~Size{0};
}

namespace {

// Whether kernels of a walk round answers from exact words.
bool gathers_words(kernel::Walk walk) {
  using enum kernel::Walk;
  return walk == nest || walk == undecided || walk == segment_words || walk == undecided_segments ||
         walk == undecided_weighted;
}

}  // namespace

unsigned shared_bytes_of(const KernelKey& key, const KernelShape& shape) {
  if (key.walk == kernel::Walk::label_sums) return static_cast<unsigned>(shape.bins * kib);
  if (key.walk == kernel::Walk::quantile_rows || key.walk == kernel::Walk::quantile_sample ||
      key.walk == kernel::Walk::quantile_pass || key.walk == kernel::Walk::quantile_segments) {
    return 64 * static_cast<unsigned>(kib);
  }
  if (key.walk == kernel::Walk::norm_again) {
    return visit(key.dtype, []<class T>() {
      if constexpr (Floating<T>) return kernel::pool_bytes(digits_of_norms<T>);
      return 0u;
    });
  }
  if (key.walk == kernel::Walk::undecided_weighted && !key.selects) {
    return visit(key.dtype, [&]<class T>() {
      return kernel::pool_bytes(kernel::multiplies_moments(key.ops)
                                    ? weighted::Sums<T, true>::most_digits
                                    : weighted::Sums<T>::most_digits);
    });
  }
  if (gathers_words(key.walk) && key.ops != 0 && kernel::multiplies_long(key.ops)) {
    const bool moments = kernel::multiplies_moments(key.ops);
    return visit(key.dtype, [moments]<class T>() {
      return kernel::pool_bytes(moments ? digits_of_moments<T> : digits_of_pairs<T>);
    });
  }
  if (key.walk != kernel::Walk::whole || !kernel::has_bins(key.dtype, key.set, key.stage)) return 0;
  const int warps = kernel::takes_all(key.stage) ? shape.bins : shape.warps;
  return static_cast<unsigned>(warps * 32 * kernel::bin_bytes(key.dtype, key.set));
}

}  // namespace onefold::cuda_backend
