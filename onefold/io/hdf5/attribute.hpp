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
// The same, if it is a text; else empty.
std::string text_attribute(const File& file, const Dataset& dataset, const char* name);

// Returns the path of the dimension scale of each axis (attribute DIMENSION_LIST); empty: there is
// none. A scale is that of its own axis.
std::vector<std::string> axes_of(const File& file, const Dataset& dataset);

}  // namespace onefold::io::hdf5
