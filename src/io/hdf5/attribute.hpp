// Attributes of HDF5 datasets: few numbers, or a text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/array.hpp"

namespace onefold::io::hdf5 {

struct Attribute {
  DType dtype = DType::f64;
  std::vector<std::byte> numbers;  // none: it is a text
  std::string text;
};

// Nothing: there is none of the name.
//   throws  unsupported: it is neither; bad_header
std::optional<Attribute> attribute(const File& file, const Dataset& dataset, const char* name);

}  // namespace onefold::io::hdf5
