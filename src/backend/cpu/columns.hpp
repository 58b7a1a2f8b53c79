// Folds along columns: neighbours in memory belong to different answers. A band of answers is read
// row by row and transposed into tiles, in which each answer's elements are neighbours. The bytes
// of a mask are transposed too, and selected elements are then moved together.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/cpu/loops.hpp"
#include "backend/cpu/sieve.hpp"

namespace onefold::cpu_backend {

class Columns {
 public:
  // Answers side by side. 256 bytes of each row: with one or two lines a row, most of the time goes
  // into finding the next page.
  static Size band(const Plan& plan) { return 256 / bytes_of(plan.dtype); }

  // For at most `elements` of each answer at a time.
  Columns(const Plan& plan, const Loops& loops, std::span<const Feed* const> feeds, Size elements);

  // Adds the elements [begin, end) of the answers [first, last) to states, the first of which is
  // that of `first`.
  void gather(Inputs in, Size first, Size last, Size begin, Size end, int64_t* states);

 private:
  void gather_band(Inputs in, Size columns, Size begin, Size end, int64_t* states);
  void transpose_mask(int64_t at, Size r, Size rows, Size columns);
  void feed(Gatherer& gatherer, Inputs column, Size c, Size rows, Size first);

  const Plan& plan_;
  const Loops& loops_;
  Size rows_;  // rows of a tile
  std::size_t pitch_;
  std::vector<Gatherer> gatherers_;  // one for each column, or one that takes them by turns
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte, Free> tile_;
  std::optional<Sieve> sieve_;  // under a mask
  std::size_t mask_pitch_ = 0;
  std::vector<std::byte> mask_;  // bytes of the band
};

}  // namespace onefold::cpu_backend
