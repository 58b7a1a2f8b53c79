// Reads whole arrays into memory that a fold needs in addition to its data, such as masks.
#pragma once

#include <string>
#include <vector>

#include "io/input.hpp"
#include "onefold/array.hpp"

namespace onefold::io {

struct LoadedArray {
  std::vector<std::byte> bytes;
  DType dtype = DType::f64;
  Dims shape, strides;
  ArrayRef ref() const { return {bytes.data(), dtype, shape, strides}; }
};

// Its type, shape and strides. `ref` has a place for data, of which nothing may be read.
struct ArrayHeader {
  DType dtype = DType::f64;
  Dims shape, strides;
  std::string format;
  ArrayRef ref() const;
};

// Reads no elements.
//   throws  as load_array
ArrayHeader header_of(const std::string& path, const InputOptions& input = {});

//   throws  what opening and reading a file throws; unsupported: a text or an endless stream
LoadedArray load_array(const std::string& path, const InputOptions& input = {});

}  // namespace onefold::io
