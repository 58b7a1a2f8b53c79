// Reads attributes of HDF5 datasets: a few numbers, or a text.
#pragma once

#include <optional>

#include "onefold/io/cf.hpp"
#include "onefold/io/hdf5/array.hpp"

namespace onefold::io::hdf5 {

using Attribute = CfAttribute;

// Reads an attribute; returns nothing if there is none of this name.
//   throws  unsupported: it is neither numbers nor a text; bad_header
std::optional<Attribute> attribute(const File& file, const Dataset& dataset, const char* name);

}  // namespace onefold::io::hdf5
