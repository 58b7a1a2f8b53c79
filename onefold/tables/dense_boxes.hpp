// Gathers arrays of containers box by box, in the order of their files.
#pragma once

#include "onefold/tables/dense_block.hpp"
#include "onefold/tables/dense_pieces.hpp"

namespace onefold::io {

// Like PieceReader::gather: adds a file's part of a block to the states of the block's answers.
//   y     the second array, if there are two; each of them may be in a container
void gather_boxes(PieceReader& reader, const Source& x, const Source* y, const BlockInFile& to,
                  StateTable& states, int threads);

}  // namespace onefold::io
