// Numbers of each type as f64.
#pragma once

#include <cmath>
#include <type_traits>

#include "onefold/core/dtype.hpp"

namespace onefold {

// The number as an f64, which holds all but 64-bit integers: those are rounded.
template <class T>
double as_double(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(x);
  } else if constexpr (dtype_of<T> == DType::boolean) {
    return x.byte != 0 ? 1 : 0;
  } else {
    const Decoded d = decode(x);
    const double size = d.nan        ? std::nan("")
                        : d.infinite ? HUGE_VAL
                                     : static_cast<double>(d.mantissa);
    return std::ldexp(d.negative ? -size : size, d.shift + float_format(dtype_of<T>).unit);
  }
}

}  // namespace onefold
