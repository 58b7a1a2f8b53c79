// Columns by the Arrow C data interface: chunk by chunk, where they are; nulls are left out.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include "onefold/fold.hpp"
#include "view.hpp"

namespace onefold::python {

// As https://arrow.apache.org/docs/format/CDataInterface.html has them.
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

// Rows of a column, and the bits that say which are there.
struct Chunk {
  View view;
  std::optional<Mask> mask;
};

// A column that is one chunk of numbers. nullopt: `x` is none, or is folded in another way.
//   is_stream  it has a stream, and no array; asking a class of Polars for what it lacks costs 3 us
std::optional<Chunk> read_column(PyObject* x, const char* op, bool is_stream);

// Which rows of a Chunk in Python are there; null: `x` is none, or all of them are.
const Mask* mask_of_chunk(PyObject* x);

void add_arrow(nanobind::module_& m);

}  // namespace onefold::python
