// A nest as panels see it, and walks over the axes around them.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/cpu/panel.hpp"
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
  bool packed = false;                 // neither: it has them once panels are copied
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
  s.packed = !s.rows && !s.columns;
  if (s.packed) {
    s.columns = std::abs(s.answer.stride[0]) < std::abs(s.element.stride[0]);
    s.rows = !s.columns;
  }
  return s;
}

// So many neighbouring answers.
struct Group {
  const std::byte* x;
  Size first;  // the number of the first answer
  Size answers;
};

// A panel's elements side by side: as they are, or copied where a shape is packed.
class SideBySide {
 public:
  SideBySide(const Shape& s, Size bytes, const Panel& p) : panel(p) {
    if (!s.packed) return;
    memory_.reset(new std::byte[p.answers * p.elements * bytes]);
    const auto size = static_cast<int64_t>(bytes);
    panel.x = memory_.get();
    panel.row = s.columns ? size : size * static_cast<int64_t>(p.elements);
    panel.element = s.columns ? size * static_cast<int64_t>(p.answers) : size;
    if (bytes == 1) copy<1>(p, s.columns);
    if (bytes == 2) copy<2>(p, s.columns);
    if (bytes == 4) copy<4>(p, s.columns);
    if (bytes == 8) copy<8>(p, s.columns);
  }
  Panel panel;

 private:
  template <std::size_t bytes>
  void copy(const Panel& p, bool columns) {
    std::byte* to = memory_.get();
    const Size outer = columns ? p.elements : p.answers, inner = columns ? p.answers : p.elements;
    const int64_t far = columns ? p.element : p.row, near = columns ? p.row : p.element;
    for (Size o = 0; o < outer; ++o) {
      const std::byte* x = p.x + static_cast<int64_t>(o) * far;
      for (Size i = 0; i < inner; ++i, x += near, to += bytes) std::memcpy(to, x, bytes);
    }
  }
  std::unique_ptr<std::byte[]> memory_;
};

// How many rows of so many columns are taken as one of more columns.
inline Size rows_at_once(const Shape& s, Size columns, Size bytes) {
  const Size folds = columns < 8 ? 32 : 16;
  const bool packed = s.element.stride[0] == static_cast<int64_t>(columns * bytes);
  return s.columns && !s.packed && packed && columns < 32 && s.element.extent >= 4 * folds ? folds
                                                                                           : 1;
}

}  // namespace onefold::cpu_backend
