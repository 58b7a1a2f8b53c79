// Undoes filters of Zarr, which numcodecs applied to elements before packing them.
//
//   delta             differences of neighbours; integers wrap, floats add up as NumPy's do
//   shuffle           all first bytes of elements come first, then all second bytes, and so on
//   fixedscaleoffset  integers / scale + offset, each step rounded to f64, then to f32 or f64
#pragma once

#include <cstddef>
#include <vector>

#include "onefold/core/dtype.hpp"

namespace onefold::io::zarr {

struct Filter {
  enum class Kind { delta, shuffle, fixed } kind = Kind::shuffle;
  unsigned each = 1;  // shuffle: bytes of an element
  DType packed = DType::f64, made = DType::f64;
  double scale = 1, offset = 0;
};

// throws a std::string: the bytes are not what they should be
std::vector<std::byte> undone(const Filter& filter, std::vector<std::byte> bytes, std::size_t most);

}  // namespace onefold::io::zarr
