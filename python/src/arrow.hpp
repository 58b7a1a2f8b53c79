// Columns by the Arrow C data interface: chunk by chunk, where they are; nulls are left out.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "onefold/fold.hpp"

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

// Which rows of a Chunk in Python are there; null: `x` is none, or all of them are.
const Mask* mask_of_chunk(PyObject* x);

void add_arrow(nanobind::module_& m);

}  // namespace onefold::python
