#include "onefold/engine/plan/check.hpp"

#include <algorithm>

#include "onefold/error.hpp"

namespace onefold {
namespace {}  // namespace

void check_number(const char* what, const char* name, int number, int count,
                  const std::string& where) {
  if (number < count) return;
  throw Error(ErrorCode::bad_option, where + ": " + what + " number " + std::to_string(number) +
                                         " is not a value of onefold::" + name);
}

Size elements_of(const Dims& shape) {
  Size n = 1;
  for (const int64_t extent : shape) n *= static_cast<Size>(extent);
  return n;
}

void check_array(const ArrayRef& x, const std::string& where) {
  check_number("element type", "DType", static_cast<int>(x.dtype), dtype_count, where);
  check_number("device type", "Device::Type", static_cast<int>(x.device.type), 3, where);
  const int rank = x.shape.rank();
  if (rank > max_rank) {
    throw Error(ErrorCode::shape_mismatch, where + ": the array has " + std::to_string(rank) +
                                               " dimensions; at most 16 are possible");
  }
  if (x.strides.rank() != rank) {
    throw Error(ErrorCode::shape_mismatch,
                where + ": the array has " + std::to_string(x.strides.rank()) +
                    " strides, but its shape has " + std::to_string(rank) +
                    " dimensions; give one stride for each");
  }
  bool empty = false;
  for (const int64_t extent : x.shape) {
    if (extent < 0) {
      throw Error(ErrorCode::shape_mismatch,
                  where + ": shape " + to_string(x.shape) + " has a negative extent");
    }
    empty |= extent == 0;
  }
  // With strides of 0 an array may have more elements than memory has bytes. An extent of 0 does
  // not excuse other extents that are too large, since those may all be kept axes.
  Int128 count = 1, low = 0, high = 0;
  for (int d = 0; d < rank; ++d) {
    count *= std::max<int64_t>(x.shape[d], 1);
    const Int128 span = empty ? 0 : static_cast<Int128>(x.strides[d]) * (x.shape[d] - 1);
    (span < 0 ? low : high) += span;
    if (count > int64_max) {
      throw Error(ErrorCode::shape_mismatch,
                  where + ": shape " + to_string(x.shape) + " has 2^63 elements or more");
    }
    if (high - low > int64_max) {
      const bool dense = x.strides == row_major(x.shape, x.dtype);
      throw Error(ErrorCode::shape_mismatch,
                  where + ": shape " + to_string(x.shape) +
                      (dense ? "" : " with strides of " + to_string(x.strides) + " bytes") +
                      " spans 2^63 bytes or more");
    }
  }
  if (empty) return;
  if (x.data == nullptr) {
    throw Error(ErrorCode::bad_option,
                where + ": the data pointer is null for shape " + to_string(x.shape));
  }
}

}  // namespace onefold
