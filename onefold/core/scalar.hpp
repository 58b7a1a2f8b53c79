// One element as a value.
#pragma once

#include "onefold/core/dtype.hpp"

namespace onefold {

struct Scalar {
  DType dtype = DType::f64;
  uint64_t bits = 0;

  constexpr Scalar() = default;
  constexpr Scalar(DType t, uint64_t b) : dtype(t), bits(b) {}
  template <class T>
  requires is_element<T>
  constexpr Scalar(T x) : dtype(dtype_of<T>), bits(bit_cast<bits_of<T>>(x)) {}
  friend constexpr bool operator==(Scalar, Scalar) = default;
};

}  // namespace onefold
