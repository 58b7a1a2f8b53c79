// Gathers arrays of containers box by box, in the order of their files.
#pragma once

#include "file_fold/dense_block.hpp"
#include "file_fold/dense_pieces.hpp"

namespace onefold::io {

// One file's part of a block, as PieceReader::gather: into the states of all answers of the block.
//   y     of two arrays the second; either may be of a container
//   row, all_rows  as nest_of has them
void gather_boxes(PieceReader& reader, const Source& x, const Source* y, const Block& block,
                  Size row, Size all_rows, const Places& places, StateTable& states, int threads);

}  // namespace onefold::io
