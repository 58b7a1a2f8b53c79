// Folds along columns, where neighbours in memory belong to different answers. It reads a band of
// answers row by row and transposes it into tiles, in which the elements of one answer are
// neighbours. The bytes of a mask are transposed too; the selected elements are then copied
// together.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "onefold/cpu/loops.hpp"
#include "onefold/cpu/sieve.hpp"

namespace onefold::cpu_backend {

class Columns {
 public:
  // The number of neighbouring answers that are folded together: 256 bytes of each row. If only one
  // or two cache lines of a row were read, page-table lookups would take most of the time.
  static Size band(const Plan& plan) { return 256 / bytes_of(plan.dtype); }

  // elements: the most elements of one answer that `gather` will be given
  Columns(const Plan& plan, const Loops& loops, std::span<const Feed* const> feeds, Size elements);

  // Adds the elements [begin, end) of the answers [first, last) to their states; `states` points to
  // the state of answer `first`.
  void gather(Inputs in, Size first, Size last, Size begin, Size end, int64_t* states);

 private:
  void gather_band(Inputs in, Size columns, Size begin, Size end, int64_t* states);
  void transpose_mask(int64_t at, Size r, Size rows, Size columns);
  void feed(Gatherer& gatherer, Inputs column, Size c, Size rows, Size first);

  const Plan& plan_;
  const Loops& loops_;
  Size rows_;  // rows of a tile
  std::size_t pitch_;
  std::vector<Gatherer> gatherers_;  // one per column, or one for all columns in turn
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte, Free> tile_;
  std::optional<Sieve> sieve_;  // null without a mask
  std::size_t mask_pitch_ = 0;
  std::vector<std::byte> mask_;  // the mask of a band, one byte per element
};

}  // namespace onefold::cpu_backend
