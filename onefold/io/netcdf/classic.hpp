// Classic NetCDF files (versions 1, 2 and 5 of the format), by their header.
//
//   types   integers of 1 to 8 bytes, f32, f64; char is text, and not folded
//   layout  big-endian; a variable is contiguous, or each record has one slice of it
//   memory  the header, at most 64 MiB of it; then 2 MiB of elements at a time
//   source  "The NetCDF Classic Format Specification", Unidata; CDF-5 as PnetCDF defines it
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onefold/io/cf.hpp"
#include "onefold/io/file.hpp"
#include "onefold/io/input.hpp"

namespace onefold::io::netcdf {

struct Variable {
  std::string name;
  std::string why;  // why it cannot be folded; empty: it can
  DType dtype = DType::f64;
  Dims shape = {};
  std::vector<std::string> dimensions = {};
  bool records = false;  // its first axis is the record number
  uint64_t begin = 0;    // offset in the file
  std::vector<std::pair<std::string, CfAttribute>> attributes = {};

  std::optional<CfAttribute> attribute(std::string_view name) const;
};

struct Classic {
  uint64_t record_bytes = 0;
  std::vector<Variable> variables = {};
};

bool is_classic(const File& file);
//   throws  bad_header, truncated
Classic read_classic(const File& file);
// Opens a variable with its stored values. The file must outlive it.
//   throws  truncated: the file ends before it
DenseArray array_of(const File& file, const Classic& header, const Variable& variable);

}  // namespace onefold::io::netcdf
