// Packed arrays of the netCDF conventions, in netCDF and in Zarr: missing values, scale and offset.
//
//   missing  an element that equals _FillValue or one of missing_value, compared as stored, becomes
//            NaN. A missing_value that an integer type cannot hold is ignored; floats are compared
//            with the float nearest to it. In netCDF two more become NaN: an element outside of
//            valid_min, valid_max or valid_range; and, if there is no _FillValue, a float that
//            equals netCDF's default for elements that were never written
//   scaled   data * scale_factor + add_offset, as netCDF4-python computes it with NumPy 2: the
//            product is rounded in the type of both, then the sum in the type of both; integers of
//            up to 16 bits with f32 are f32, larger ones with f32 and all with f64 are f64. A
//            factor of 1 without an offset is ignored, and so is an offset of 0 without a factor;
//            with factor 1 and offset 0 data get the type of scale_factor
//   type     integers with missing values and no scale become f64; an integer that f64 cannot hold
//            is out_of_range
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onefold/io/boxes.hpp"
#include "onefold/io/file.hpp"
#include "onefold/io/input.hpp"

namespace onefold::io {

// A number and its type. f64 holds the value unless it is an integer.
struct CfNumber {
  DType dtype = DType::f64;
  int64_t integer = 0;  // for u64 its bits
  double real = 0;      // the value; integers are rounded
};
// Converts an element in this machine's byte order.
CfNumber cf_number(DType dtype, const std::byte* at);

// An attribute: a few numbers, or a text.
struct CfAttribute {
  DType dtype = DType::f64;
  std::vector<std::byte> numbers = {};  // empty: the attribute is a text
  std::string text = {};
};

struct CfRules {
  bool as_unsigned = false;  // _Unsigned = "true": signed integers mean unsigned ones
  std::vector<CfNumber> missing;
  std::optional<CfNumber> scale, offset;
  std::optional<CfNumber> low, high;  // elements outside are missing
};

// Returns a variable's attribute by its name.
using CfAttributes = std::function<std::optional<CfAttribute>(const char* name)>;

// Changes a stored array as its attributes say; see decode_by.
//   netcdf  valid_range and similar attributes count, and netCDF's default fill values
//   throws  unsupported: an attribute that should be a number is none
void decode_by(const File& file, const std::string& variable, const CfAttributes& of, bool netcdf,
               DenseArray& array);

// Changes a stored array as the rules say; does nothing if they do not apply. If the array has no
// boxes, only its type is changed.
//   file    outlives the array
//   throws  unsupported: a scale that leaves integers integers
void decode_by(const File& file, const CfRules& rules, DenseArray& array);

}  // namespace onefold::io
