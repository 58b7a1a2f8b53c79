// Launch configurations of kernels, as rows of plain values (tuning_rows.hpp), and how they are
// fitted to a chip's shared memory (tuning.cpp).
#pragma once

#include <span>
#include <string_view>
#include <tuple>

#include "onefold/kernel/schedule/nest.hpp"
#include "onefold/kernel/stages.hpp"

namespace onefold::cuda_backend {

// The properties for which a kernel is compiled.
struct KernelKey {
  DType dtype = DType::f64;
  Accumulators set;
  uint32_t ops = 0;  // the ops that the kernel answers; see kernel/answer/answers.hpp
  kernel::Stage stage = kernel::Stage::first;
  kernel::Walk walk = kernel::Walk::whole;  // only `whole` has stages
  // Elements may be missing (kernel::Chosen); of folds with weights: these repeat elements.
  bool selects = false;
  friend bool operator<(const KernelKey& a, const KernelKey& b) {
    return std::tie(a.dtype, a.set.bits, a.ops, a.stage, a.walk, a.selects) <
           std::tie(b.dtype, b.set.bits, b.ops, b.stage, b.walk, b.selects);
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
  int bins = 0;        // warps of a block with bins; for sums by labels KiB of tables
  friend bool operator==(const KernelShape&, const KernelShape&) = default;
};

// The kinds of folds that have different launch configurations.
enum class Fold : uint8_t { products, near_sums, counts, extremes, sums, others };
Fold fold_of(DType t, Accumulators set);

// Returns whether a chip has few FP64 lanes: 2 to 4 a multiprocessor instead of 32 or 64.
bool has_few_f64(std::string_view chip);

// How a launch divides a multiprocessor's shared memory among bins.
struct Room {
  enum Way : uint8_t {
    none,    // the launch has no bins
    fewer,   // as many warps and blocks have bins as there is room for
    all,     // all warps of the row have bins, otherwise the row is skipped; blocks may be fewer
    shared,  // all blocks of the row; only few of their warps have bins
    filled,  // one block fills it
    halved,  // two blocks, if that comes out even
  };
  Way way = none;
  int warps = 0;       // the most warps of a block that have bins
  int beside = 0;      // bytes of a block's other arrays
  int waves_each = 0;  // waves = this times the blocks that fit; 0: the row's waves
};

// A row applies to all keys that it does not exclude. The first row that applies, and whose `all`
// fits, is used.
struct Tuning {
  uint32_t stages = ~0u, types = ~0u, folds = ~0u;  // bits of these enumerations
  Accumulators has = {}, any = {}, within = Accumulators(~0u);
  int more_than = 0;             // more than so many accumulators
  int most_bin_bytes = 1 << 30;  // the most bytes of a lane's bins
  bool newer = false;            // only for chips after sm_90; shapes were measured on sm_90
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
// Up to how many bytes of an array the launch of this shape takes all of it; 0: it never does.
Size most_bytes_of(const KernelKey& key, const KernelShape& shape, int multiprocessors);
// From how many bytes on a whole array is folded as one long row.
Size least_long_row(DType t, Accumulators set);
// The bytes of shared memory with which a block is launched.
unsigned shared_bytes_of(const KernelKey& key, const KernelShape& shape);
// Returns the most bytes for a block's tables in sums by labels (kernel/labels/sums.hpp); only one
// such block runs on a multiprocessor.
Size most_table_bytes(std::size_t shared_bytes);

}  // namespace onefold::cuda_backend
