// Partition camping: which partitions of memory the blocks that run together write to.
#pragma once

#include <string>
#include <vector>

#include "lab/rung.hpp"
#include "onefold/machine/sim/chip.hpp"

namespace onefold::lab {

// How many partitions are as good as busy: what all carry over what the busiest carries. Of an
// edge x edge matrix of f32, in tiles of 32 along its rows or along diagonals.
double partitions_busy(const sim::Chip& chip, Size edge, bool diagonal);

// A sentence about 4000 and 4096 for chips whose memory has such partitions; empty for others.
std::string camping_text(const sim::Chip& chip);

}  // namespace onefold::lab
