#include "onefold/engine/plan/places.hpp"

#include <cstdlib>

namespace onefold {

Nest with_places(const Nest& nest, const Dims& shape, const Dims& strides) {
  struct Dim {
    Size extent, step;  // step: in C order
    int64_t to;
  };
  std::vector<Dim> dims;  // the fastest first, without those of extent 1
  Size answers = 1;
  Nest placed = nest;
  placed.answer = 0;
  for (int d = shape.rank(); d-- > 0;) {
    const auto extent = static_cast<Size>(shape[d]);
    if (extent == 1) continue;
    dims.push_back({extent, answers, strides[d]});
    placed.answer += nest.answer / answers % extent * static_cast<Size>(strides[d]);
    answers *= extent;
  }
  placed.axes.clear();
  for (const Axis& a : nest.axes) {
    const auto at = placed.axes.end() - placed.axes.begin();
    if (a.folded) {
      placed.axes.push_back(a);
      continue;
    }
    // An axis may consist of several joined dimensions.
    Size left = a.extent, apart = 1;
    const auto step = static_cast<Size>(std::abs(a.step));
    for (const Dim& d : dims) {
      if (d.step < step || left == 1) continue;
      Axis part = a;
      part.extent = d.extent;
      for (int64_t& s : part.stride) s *= static_cast<int64_t>(apart);
      part.step = a.step < 0 ? -d.to : d.to;
      placed.axes.insert(placed.axes.begin() + at, part);
      apart *= d.extent;
      left /= d.extent;
    }
  }
  join(placed.axes);
  return placed;
}

}  // namespace onefold
