// Gathers arrays of containers box by box, in the order of their files.
#pragma once

#include "file_fold/dense_block.hpp"
#include "file_fold/dense_pieces.hpp"

namespace onefold::io {

// One file's part of a block, as PieceReader::gather: into the states of all answers of the block.
//   y     of two arrays the second; either may be of a container
void gather_boxes(PieceReader& reader, const Source& x, const Source* y, const Belonging& to,
                  StateTable& states, int threads);

}  // namespace onefold::io
