// Packed arrays of the netCDF conventions: missing values, scale and offset.
//
//   missing  an element that equals _FillValue or one of missing_value, compared as stored, becomes
//            NaN. A missing_value that the stored type cannot hold is ignored
//   scaled   data * scale_factor + add_offset, as netCDF4-python computes it with NumPy 2: the
//            product is rounded in the type of both, then the sum in the type of both; integers of
//            up to 16 bits with f32 are f32, larger ones with f32 and all with f64 are f64. A
//            factor of 1 without an offset is ignored, and so is an offset of 0 without a factor;
//            with factor 1 and offset 0 data get the type of scale_factor
//   type     integers with missing values and no scale become f64; an integer that f64 cannot hold
//            is out_of_range
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/boxes.hpp"
#include "io/file.hpp"
#include "io/input.hpp"

namespace onefold::io {

// A number with its type, which f64 holds unless it is an integer.
struct CfNumber {
  DType dtype = DType::f64;
  int64_t integer = 0;  // of u64 the bits
  double real = 0;      // the value, of integers rounded
};
// Converts an element, in the machine's byte order.
CfNumber cf_number(DType dtype, const std::byte* at);

// Few numbers, or a text.
struct CfAttribute {
  DType dtype = DType::f64;
  std::vector<std::byte> numbers = {};  // none: it is a text
  std::string text = {};
};

struct CfRules {
  bool as_unsigned = false;  // _Unsigned = "true": signed integers are unsigned ones
  std::vector<CfNumber> missing;
  std::optional<CfNumber> scale, offset;
};

// Makes of a stored array what the rules say; nothing where they say nothing. Of one without boxes
// the type.
//   file    outlives the array
//   throws  unsupported: a scale that leaves integers integers
void decode_by(const File& file, const CfRules& rules, DenseArray& array);

}  // namespace onefold::io
