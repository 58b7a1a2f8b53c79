// Adds a number, or its square, to f64 windows (windows.hpp): the highest window takes the number
// rounded to its unit, the next one the remainder.
#pragma once

#include "onefold/cuda/kernel/feed/window_shape.hpp"
#include "onefold/cuda/kernel/number/scalar.hpp"

namespace onefold::kernel {

// Adds to windows `first` and later ones only.
template <class Shape, class Array>
ONEFOLD_KERNEL void add_number(Array& a, int first, double x) {
  if constexpr (Shape::of_x == 2) x = take(a[first], x);
  a[first + Shape::of_x - 1] += x;
}
template <class Shape, bool wide, class Array>
ONEFOLD_KERNEL void add_square(Array& a, double x) {
  constexpr int q = Shape::first_square;
  if constexpr (Shape::f64) {
    double p = x * x;
    double e = fused(x, x, -p);
    p = take(a[q], p);
    if constexpr (wide) {
      p = take(a[q + 1], p);
      e = take(a[q + 1], e);
      a[q + 2] += p;
      e = take(a[q + 2], e);
    } else {
      a[q + 1] += p;
      e = take(a[q + 1], e);
    }
    a[q + Shape::of_squares - 1] += e;
  } else {
    const double t = fused(x, x, a[q]);
    double r = fused(x, x, -(t - a[q]));
    a[q] = t;
    if constexpr (wide) r = take(a[q + 1], r);
    a[q + Shape::of_squares - 1] += r;
  }
}

}  // namespace onefold::kernel
