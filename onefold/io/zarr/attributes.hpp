// Takes the attributes of an array that onefold/io/cf.hpp reads: _FillValue, missing_value,
// scale_factor, add_offset and _Unsigned. Each is a number, a list of one, or a text.
#pragma once

#if __has_include(<nlohmann/json.hpp>)
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "onefold/io/cf.hpp"
#include "onefold/io/file.hpp"

namespace onefold::io::zarr {

using Json = nlohmann::json;

//   all      the attributes; if it is no object, there are none
//   dtype    of the array's elements
//   throws   unsupported: one of them has another form
std::map<std::string, CfAttribute> attributes_of(const File& file, const Json& all, DType dtype);

}  // namespace onefold::io::zarr
#endif
