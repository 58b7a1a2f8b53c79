// Reads a file's part of a block from front to back, and adds it to states piece by piece.
#pragma once

#include "onefold/engine/group/state_table.hpp"
#include "onefold/io/limits.hpp"
#include "onefold/io/progress.hpp"
#include "onefold/io/source.hpp"

namespace onefold::io {

// The facts that all pieces of a fold share.
struct PieceReader {
  const Plan& plan;  // with the number of threads that the machine has
  const Limits& limits;
  Meter& meter;
  bool map;          // windows may be mapped
  Share share = {};  // the share of the pieces or boxes that is gathered here
  Buffers buffers = {};

  // Adds elements to the states of all answers of a block.
  //   y        the second array, if there are two; nest_y: its part, in the order of x
  //   threads  the number of threads that this call may use
  void gather(const Source& x, const Nest& nest, const Source* y, const Nest& nest_y,
              StateTable& states, int threads);

 private:
  bool gather_read(const Source& x, const Nest& nest, const Source* y, const Nest& nest_y,
                   StateTable& states);
};

}  // namespace onefold::io
