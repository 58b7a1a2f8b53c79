#include "lab/experiment/transpose_camping.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/kernel.hpp"
#include "lab/rung/tile.hpp"

namespace onefold::lab {
namespace {

// Consecutive pieces of 256 bytes belong to different memory partitions in turn. A wave is the
// number of blocks of 256 threads that run at the same time.
//
//   source   NVIDIA, Optimizing Matrix Transpose in CUDA (2010): 6 partitions on the 8 and 9
//            series, 8 on the 200 series; CUDA C Programming Guide: threads of a multiprocessor
struct Partitions {
  unsigned count = 0, wave = 0;
};
Partitions partitions_of(const sim::Chip& chip) {
  if (chip.name == "cc10") return {6, 16 * 768 / 256};
  if (chip.name == "cc12") return {8, 30 * 1024 / 256};
  return {};
}

struct InBlock {  // only as much of a machine as a tile's corner depends on
  unsigned number;
  unsigned block() const { return number; }
};

}  // namespace

double partitions_busy(const sim::Chip& chip, Size edge, bool diagonal) {
  constexpr int tile = 32;
  const Partitions p = partitions_of(chip);
  if (p.count == 0) return 0;
  const Sizes sizes{{edge, edge}};
  std::vector<unsigned> carried(p.count);
  for (unsigned b = 0; b < p.wave; ++b) {
    const Corner from = diagonal ? corner<Order::diagonals, tile>(InBlock{b}, sizes)
                                 : corner<Order::rows, tile>(InBlock{b}, sizes);
    // Blocks do not run in step, so each row of the tile of the result is counted separately.
    for (int row = 0; row < tile; ++row) {
      const Size element = (Size(from.column) + Size(row)) * edge + from.row;
      ++carried[element * 4 / 256 % p.count];
    }
  }
  return double(p.wave) * tile / *std::max_element(carried.begin(), carried.end());
}

std::string camping_text(const sim::Chip& chip) {
  const Partitions p = partitions_of(chip);
  if (p.count == 0) return "";
  return fmt::format(
      "of the {} partitions of a {}'s memory, 256 bytes each in turn, a wave of {} blocks of "
      "`tiled` keeps {:.1f} busy with its writes at 4000 x 4000 and {:.1f} at 4096 x 4096; of "
      "`diagonal` {:.1f} and {:.1f}",
      p.count, chip.card, p.wave, partitions_busy(chip, 4000, false),
      partitions_busy(chip, 4096, false), partitions_busy(chip, 4000, true),
      partitions_busy(chip, 4096, true));
}

}  // namespace onefold::lab
