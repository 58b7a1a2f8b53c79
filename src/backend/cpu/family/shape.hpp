// A nest as panels see it, and walks over the axes around them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/nest.hpp"

namespace onefold::cpu_backend {

// A walk over some axes, the fastest last: offsets in bytes and steps.
struct Odometer {
  std::span<const Axis> axes;
  int64_t offset = 0, step = 0;
  explicit Odometer(std::span<const Axis> a) : axes(a) {}

  void set(Size i) {
    offset = step = 0;
    for (std::size_t k = axes.size(); k-- > 0;) {
      const auto at = static_cast<int64_t>(i % axes[k].extent);
      i /= axes[k].extent;
      offset += at * axes[k].stride[0];
      step += at * axes[k].step;
    }
  }
  static Size count(std::span<const Axis> axes) {
    Size n = 1;
    for (const Axis& a : axes) n *= a.extent;
    return n;
  }
};

// A nest as panels see it: one kept axis and one folded one, and others around them.
struct Shape {
  Axis answer{.extent = 1, .step = 1}, element{.extent = 1, .folded = true};
  std::vector<Axis> kept, folded;
  bool rows = false, columns = false;  // which of the two has neighbours
};

inline std::optional<Shape> shape_of(const Nest& nest) {
  Shape s;
  for (const Axis& a : nest.axes) (a.folded ? s.folded : s.kept).push_back(a);
  if (s.kept.empty()) return {};
  const auto fastest = [](std::vector<Axis>& axes, Axis& to) {
    if (axes.empty()) return;
    to = axes.back();
    axes.pop_back();
  };
  fastest(s.kept, s.answer);
  fastest(s.folded, s.element);
  const auto bytes = static_cast<int64_t>(nest.bytes);
  s.columns = s.answer.stride[0] == bytes;
  s.rows = !s.columns && (s.element.stride[0] == bytes || s.element.extent == 1);
  return s;
}

// So many neighbouring answers.
struct Group {
  const std::byte* x;
  Size first;  // the number of the first answer
  Size answers;
};

// How many rows of so many columns are taken as one of more columns.
inline Size rows_at_once(const Shape& s, Size columns, Size bytes) {
  const Size folds = columns < 8 ? 32 : 16;
  const bool packed = s.element.stride[0] == static_cast<int64_t>(columns * bytes);
  return s.columns && packed && columns < 32 && s.element.extent >= 4 * folds ? folds : 1;
}

}  // namespace onefold::cpu_backend
