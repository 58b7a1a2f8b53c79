// Columns of pandas, Polars and Arrow that can be folded where they lie.
#pragma once

#include <optional>

#include "arrow.hpp"
#include "input.hpp"
#include "onefold/options.hpp"

namespace onefold::python {

// A column's elements, in one piece.
struct Column {
  Input in;
  std::optional<Chunk> chunk = {};  // keeps the memory of Polars and Arrow

  // Reads x, and puts a mask of its nulls into the options of its fold.
  //   false  it is no such column, has several chunks, or no numbers
  bool read(PyObject* x, const char* op, Options& options);
};

}  // namespace onefold::python
