// Takes the attributes of an array that onefold/io/cf.hpp reads: _FillValue, missing_value,
// scale_factor, add_offset and _Unsigned. Each is a number, a list of one, or a text. And the
// filters of numcodecs that the metadata describe.
#pragma once

#if __has_include(<nlohmann/json.hpp>)
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "onefold/io/cf.hpp"
#include "onefold/io/file.hpp"
#include "onefold/io/zarr/filters.hpp"

namespace onefold::io::zarr {

using Json = nlohmann::json;

// Returns a text's printable characters, cut to a short length.
std::string shown(const std::string& text);
std::string shown(const Json& j);

//   all      the attributes; if it is no object, there are none
//   dtype    of the array's elements
//   throws   unsupported: one of them has another form
std::map<std::string, CfAttribute> attributes_of(const File& file, const Json& all, DType dtype);

// Returns the type that a NumPy dtype string names.
std::optional<DType> dtype_2(const std::string& text);
// Returns the filter of numcodecs that these settings describe; nothing: there is nothing to undo.
//   id      its name of version 2
//   throws  unsupported, bad_header
std::optional<Filter> filter_of(const File& file, const std::string& id, const Json& settings);

}  // namespace onefold::io::zarr
#endif
