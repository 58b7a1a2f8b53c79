// Partition camping: counts the memory partitions that blocks of one wave write to.
#pragma once

#include <string>
#include <vector>

#include "lab/rung.hpp"
#include "onefold/machine/sim/chip.hpp"

namespace onefold::lab {

// Returns how many partitions are busy: the bytes of all divided by the bytes of the busiest. For
// an edge x edge matrix of f32, with tiles of 32 in the order of rows or of diagonals.
double partitions_busy(const sim::Chip& chip, Size edge, bool diagonal);

// Returns a sentence about 4000 and 4096, for chips with such partitions; empty for others.
std::string camping_text(const sim::Chip& chip);

}  // namespace onefold::lab
