// Reads whole arrays that a fold needs beside its data, such as masks, into memory.
#pragma once

#include <string>
#include <vector>

#include "onefold/array.hpp"
#include "onefold/io/input.hpp"
#include "onefold/io/progress.hpp"

namespace onefold::io {

struct FileArray {
  std::vector<std::byte> bytes;
  DType dtype = DType::f64;
  Dims shape, strides;
  // NumPy's type of the elements of which the last axis has the parts, as "c16" of complex numbers
  // and "U3" of text; empty: there is no such axis.
  std::string joined = {};
  ArrayRef ref() const { return {bytes.data(), dtype, shape, strides}; }
};

// Makes f64 of f32, as NumPy does beside weights of f64.
void widen(FileArray& array);

// Type, shape and strides of an array. The address of `ref` must not be read.
struct ArrayHeader {
  DType dtype = DType::f64;
  Dims shape, strides;
  std::string format;
  bool is_complex = false;
  ArrayRef ref() const;
};

struct Notes;  // table_fold.hpp

// Reads the header and no elements.
//   notes   gets what note_remarks adds
//   throws  as load_array
ArrayHeader header_of(const std::string& path, const InputOptions& input = {},
                      Notes* notes = nullptr);

//   throws  what opening and reading a file throws; unsupported: a text or an endless stream;
//           std::bad_alloc if there is no memory for all of it
FileArray load_array(const std::string& path, const InputOptions& input = {},
                     const Progress& progress = {});

}  // namespace onefold::io
