// Arrays of integers that say where segments and windows begin and end.
#pragma once

#include <cstring>
#include <vector>

#include "onefold/array.hpp"

namespace onefold {

// Copies an array of i32 or i64 with one axis, in host memory, since others may write to it.
inline std::vector<int64_t> borders_of(const ArrayRef& given) {
  std::vector<int64_t> numbers(static_cast<std::size_t>(given.shape[0]));
  const auto* from = static_cast<const std::byte*>(given.data);
  for (std::size_t i = 0; i < numbers.size(); ++i, from += given.strides[0]) {
    if (given.dtype == DType::i64) {
      std::memcpy(&numbers[i], from, sizeof numbers[i]);
    } else {
      int32_t narrow = 0;
      std::memcpy(&narrow, from, sizeof narrow);
      numbers[i] = narrow;
    }
  }
  return numbers;
}

}  // namespace onefold
