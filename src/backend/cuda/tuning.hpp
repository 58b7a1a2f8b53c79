// How kernels are launched, as rows of plain values (tuning_rows.hpp), and how such a shape is
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
  uint32_t ops = 0;  // answered by the kernel, as kernel/answer/answers.hpp has them
  kernel::Stage stage = kernel::Stage::first;
  kernel::Walk walk = kernel::Walk::whole;  // others have no stages
  bool selects = false;                     // elements may be missing (kernel::Chosen)
  friend bool operator<(const KernelKey& a, const KernelKey& b) {
    return std::tie(a.dtype, a.set.bits, a.ops, a.stage, a.walk, a.selects) <
           std::tie(b.dtype, b.set.bits, b.ops, b.stage, b.walk, b.selects);
  }
};

// The launch configuration of a kernel.
struct KernelShape {
  int warps = 8;       // warps of a block; 0: the bins of one warp do not fit
  int loads = 8;       // loads of 16 bytes that a thread has in flight
  int blocks = 2;      // a multiprocessor holds at once
  int waves = 64;      // blocks a multiprocessor gets in all, at most
  unsigned tiles = 8;  // the least number of tiles for a block
  int bins = 0;        // warps of a block that have bins; of sums by labels KiB of their tables
  friend bool operator==(const KernelShape&, const KernelShape&) = default;
};

// The kinds of folds that have different launch configurations.
enum class Fold : uint8_t { products, near_sums, counts, extremes, sums, others };
Fold fold_of(DType t, Accumulators set);

// Whether a chip has few lanes of f64, 2 to 4 a multiprocessor instead of 32 or 64.
bool has_few_f64(std::string_view chip);

// How a launch divides the shared memory of a multiprocessor among bins.
struct Room {
  enum Way : uint8_t {
    none,    // there are none
    fewer,   // as many warps have some, and as many blocks, as there is room for
    all,     // the warps of the row, or the row does not hold; fewer blocks
    shared,  // the blocks of the row; few of their warps have some
    filled,  // one block fills it
    halved,  // two, if that comes out even
  };
  Way way = none;
  int warps = 0;       // the most warps of a block that have bins
  int beside = 0;      // bytes of a block's other arrays
  int waves_each = 0;  // times the blocks that fit are the waves; 0: the row says them
};

// A row holds for all keys that it does not exclude. The first that holds, and whose `all` fits, is
// taken.
struct Tuning {
  uint32_t stages = ~0u, types = ~0u, folds = ~0u;  // bits of their enumerations
  Accumulators has = {}, any = {}, within = Accumulators(~0u);
  int more_than = 0;             // accumulators
  int most_bin_bytes = 1 << 30;  // the most bytes of a lane's bins
  bool newer = false;            // only for chips after sm_90, by whose figures shapes are chosen
  KernelShape shape = {};
  int newer_blocks = 0;  // there, which want more registers; 0: as many
  Room room = {};
};
std::span<const Tuning> tunings();
// The one for a key; null: there is none that fits.
const Tuning* tuning_of(const KernelKey& key, std::string_view chip, std::size_t shared_bytes);

// The shape for a key on a chip with so much shared memory a block.
KernelShape shape_of(const KernelKey& key, std::string_view chip = "sm_90",
                     std::size_t shared_bytes = 227 << 10);
// Up to how many bytes of an array the launch of this shape takes all of it; 0: it never does.
Size most_bytes_of(const KernelKey& key, const KernelShape& shape, int multiprocessors);
// The bytes of shared memory with which a block is launched.
unsigned shared_bytes_of(const KernelKey& key, const KernelShape& shape);
// The most bytes for a block's tables of sums by labels (kernel/labels/sums.hpp); only one such
// block runs on a multiprocessor.
Size most_table_bytes(std::size_t shared_bytes);

}  // namespace onefold::cuda_backend
