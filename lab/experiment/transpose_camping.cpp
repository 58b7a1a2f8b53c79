#include "lab/experiment/transpose_camping.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/kernel.hpp"
#include "lab/rung/tile.hpp"

namespace onefold::lab {
namespace {

// Returns the number of blocks of 256 threads that run at the same time.
unsigned wave_of(const sim::Chip& chip) { return chip.multiprocessors * chip.threads / 256; }

struct InBlock {  // only as much of a machine as a tile's corner depends on
  unsigned number;
  unsigned block() const { return number; }
};

}  // namespace

double partitions_busy(const sim::Chip& chip, Size edge, bool diagonal) {
  constexpr int tile = 32;
  if (chip.partitions == 0) return 0;
  const Sizes sizes{{edge, edge}};
  std::vector<unsigned> carried(chip.partitions);
  for (unsigned b = 0; b < wave_of(chip); ++b) {
    const Corner from = diagonal ? corner<Order::diagonals, tile>(InBlock{b}, sizes)
                                 : corner<Order::rows, tile>(InBlock{b}, sizes);
    // Blocks do not run in step, so each row of the tile of the result is counted separately.
    for (int row = 0; row < tile; ++row) {
      const Size element = (Size(from.column) + Size(row)) * edge + from.row;
      ++carried[element * 4 / 256 % chip.partitions];
    }
  }
  return double(wave_of(chip)) * tile / *std::max_element(carried.begin(), carried.end());
}

std::string camping_text(const sim::Chip& chip) {
  if (chip.partitions == 0) return "";
  return fmt::format(
      "of the {} partitions of a {}'s memory, 256 bytes each in turn, a wave of {} blocks of "
      "`tiled` keeps {:.1f} busy with its writes at 4000 x 4000 and {:.1f} at 4096 x 4096; of "
      "`diagonal` {:.1f} and {:.1f}",
      chip.partitions, chip.card, wave_of(chip), partitions_busy(chip, 4000, false),
      partitions_busy(chip, 4096, false), partitions_busy(chip, 4000, true),
      partitions_busy(chip, 4096, true));
}

}  // namespace onefold::lab
