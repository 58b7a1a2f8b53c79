// The axes of slices: where the elements of a slice are, and those that go with them in two other
// arrays.
#pragma once

#include <cstddef>
#include <vector>

#include "onefold/core/base.hpp"

namespace onefold {

// Steps are in bytes: of the array, of its mask, and of a third array (weights, or answers).
struct SliceAxis {
  Size extent;
  int64_t step, mask_step, other_step;
};
struct Places {
  int64_t x = 0, mask = 0, other = 0;
  Places from(const Places& base) const {
    return {base.x + x, base.mask + mask, base.other + other};
  }
  void go(const SliceAxis& a) {
    x += a.step;
    mask += a.mask_step;
    other += a.other_step;
  }
};

// Returns the places of element i, in C order, from the first one.
inline Places places_of(const std::vector<SliceAxis>& axes, Size i) {
  Places at;
  for (std::size_t d = axes.size(); d-- > 0;) {
    const auto k = static_cast<int64_t>(i % axes[d].extent);
    at.x += k * axes[d].step;
    at.mask += k * axes[d].mask_step;
    at.other += k * axes[d].other_step;
    i /= axes[d].extent;
  }
  return at;
}
inline Size count_of(const std::vector<SliceAxis>& axes) {
  Size n = 1;
  for (const SliceAxis& a : axes) n *= a.extent;
  return n;
}
// Returns the last axis, along which elements are read in turn.
inline SliceAxis row_of(const std::vector<SliceAxis>& axes) {
  return axes.empty() ? SliceAxis{1, 0, 0, 0} : axes.back();
}

// Calls f(i, place) for each element along the axes, in C order.
template <class F>
void for_each_place(const std::vector<SliceAxis>& axes, F&& f) {
  const SliceAxis row = row_of(axes);
  const Size n = count_of(axes);
  for (Size i = 0; i < n;) {
    Places place = places_of(axes, i);
    for (Size k = 0; k < row.extent; ++k, ++i, place.go(row)) f(i, place);
  }
}

}  // namespace onefold
