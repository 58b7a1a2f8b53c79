// Launch configurations of kernels, as rows of plain values (tuning_rows.hpp), and how they are
// fitted to a chip's shared memory (tuning.cpp).
#pragma once

#include <span>
#include <string_view>
#include <tuple>

#include "onefold/cuda/kernel/answer/op_set.hpp"
#include "onefold/cuda/kernel/schedule/nest.hpp"
#include "onefold/cuda/kernel/stages.hpp"

namespace onefold::cuda_backend {

// The properties for which a kernel is compiled.
struct KernelKey {
  DType dtype = DType::f64;
  Accumulators set;
  kernel::OpSet ops = 0;  // the ops that the kernel answers; see kernel/answer/answers.hpp
  kernel::Stage stage = kernel::Stage::first;
  kernel::Walk walk = kernel::Walk::whole;  // only `whole` has stages
  // Not all elements count (kernel::ElementSelection); for folds with weights: the weights repeat
  // elements.
  bool selects = false;
  bool wide = false;  // of folds with weights: sums of two f64 (kernel/weighted/totals.hpp)
  friend bool operator<(const KernelKey& a, const KernelKey& b) {
    return std::tie(a.dtype, a.set.bits, a.ops, a.stage, a.walk, a.selects, a.wide) <
           std::tie(b.dtype, b.set.bits, b.ops, b.stage, b.walk, b.selects, b.wide);
  }
};

inline bool is_weighted(const KernelKey& key) {
  return key.walk == kernel::Walk::weighted || key.walk == kernel::Walk::undecided_weighted;
}

// The launch configuration of a kernel.
struct KernelShape {
  int warps = 8;       // warps of a block; 0: the bins of one warp do not fit
  int loads = 8;       // loads of 16 bytes that a thread has in flight
  int blocks = 2;      // blocks that a multiprocessor runs at once
  int waves = 64;      // the most blocks that each multiprocessor gets in all
  unsigned tiles = 8;  // the least number of tiles for a block
  int bins = 0;        // warps of a block that have bins; for sums by labels: KiB of tables
  friend bool operator==(const KernelShape&, const KernelShape&) = default;
};

// The kinds of folds that have different launch configurations.
enum class Fold : uint8_t { products, near_sums, counts, extremes, sums, others };
Fold fold_of(DType t, Accumulators set);

// Returns whether a chip has few FP64 lanes: 2 to 4 for each multiprocessor, instead of 32 or 64.
bool has_few_f64(std::string_view chip);
// Whether tensor cores multiply f64, and not slowly.
bool multiplies_f64(std::string_view chip);

// How a launch divides a multiprocessor's shared memory among bins.
struct Room {
  enum BinsPolicy : uint8_t {
    none,    // the launch has no bins
    fewer,   // as many warps and blocks have bins as there is room for
    all,     // all warps of the row have bins, otherwise the row is skipped; blocks may be fewer
    shared,  // all blocks of the row, but only a few warps of each have bins
    filled,  // one block, which has all of the shared memory
    // Two blocks with half of the shared memory each, if an even number of warps fits; else one.
    halved,
  };
  BinsPolicy way = none;
  int warps = 0;       // the most warps of a block that have bins
  int beside = 0;      // bytes that a block needs for other arrays
  int waves_each = 0;  // waves = this times the blocks that fit; 0: the row's waves
};

// A row applies to all keys that its fields do not exclude. The first row that applies is used,
// except that a row with `all` is skipped if the memory does not suffice.
struct Tuning {
  uint32_t stages = ~0u, types = ~0u, folds = ~0u;  // bits of these enumerations
  Accumulators has = {}, any = {}, within = Accumulators(~0u);
  int more_than = 0;             // excludes keys with at most so many accumulators
  int most_bin_bytes = 1 << 30;  // excludes keys whose bins take more bytes in a lane
  bool newer = false;            // excludes chips up to sm_90, on which shapes were measured
  KernelShape shape = {};
  int newer_blocks = 0;  // blocks on newer chips, which need more registers; 0: the same
  Room room = {};
};
std::span<const Tuning> tunings();
// Returns the row for a key; null: none fits.
const Tuning* tuning_of(const KernelKey& key, std::string_view chip, std::size_t shared_bytes);

// Returns the shape for a key on a chip with so much shared memory for a block.
KernelShape shape_of(const KernelKey& key, std::string_view chip = "sm_90",
                     std::size_t shared_bytes = 227 << 10);
// Returns the largest array, in bytes, that one launch of this shape should fold; 0: none.
Size most_bytes_of(const KernelKey& key, const KernelShape& shape, int multiprocessors);
// Returns the size in bytes from which a whole array is folded as one long row.
Size least_long_row(DType t, Accumulators set);
// Returns the bytes of shared memory with which a block is launched.
unsigned shared_bytes_of(const KernelKey& key, const KernelShape& shape);
// Returns the most bytes for a block's tables in sums by labels (kernel/labels/sums.hpp), if one
// such block runs on a multiprocessor.
Size most_table_bytes(std::size_t shared_bytes);

}  // namespace onefold::cuda_backend
