// Folds columns with the Arrow C data interface chunk by chunk, without a copy; nulls are left out.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include "onefold/fold.hpp"
#include "view.hpp"

namespace onefold::python {

// The structs of https://arrow.apache.org/docs/format/CDataInterface.html
namespace arrow {
struct Schema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  Schema** children;
  Schema* dictionary;
  void (*release)(Schema*);
  void* private_data;
};
struct Array {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  Array** children;
  Array* dictionary;
  void (*release)(Array*);
  void* private_data;
};
struct Stream {
  int (*get_schema)(Stream*, Schema*);
  int (*get_next)(Stream*, Array*);
  const char* (*get_last_error)(Stream*);
  void (*release)(Stream*);
  void* private_data;
};
}  // namespace arrow

// Rows of a column, and the bits that say which rows are not null.
struct Chunk {
  View view;
  std::optional<Mask> mask;
};

// Reads a column that is one chunk of numbers. nullopt: it is not, or another path folds it.
//   is_stream  it has a stream and no array; asking a Polars class for a missing method takes 3 us
std::optional<Chunk> read_column(PyObject* x, const char* op, bool is_stream);

// Returns which rows of a Chunk are not null; null: `x` is no Chunk, or no row is null.
const Mask* mask_of_chunk(PyObject* x);

void add_arrow(nanobind::module_& m);

}  // namespace onefold::python
