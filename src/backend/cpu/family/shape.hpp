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
  int64_t offset = 0, offset_y = 0, offset_mask = 0, step = 0;
  explicit Odometer(std::span<const Axis> a) : axes(a) {}

  void set(Size i) {
    offset = offset_y = offset_mask = step = 0;
    for (std::size_t k = axes.size(); k-- > 0;) {
      const auto at = static_cast<int64_t>(i % axes[k].extent);
      i /= axes[k].extent;
      offset += at * axes[k].stride[0];
      offset_y += at * axes[k].stride[1];
      offset_mask += at * axes[k].stride[2];
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
  bool packed_y = false;               // the same of the second input
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
  s.packed_y = (s.columns ? s.answer : s.element).stride[1] != bytes;
  return s;
}

// So many neighbouring answers.
struct Group {
  const std::byte *x, *y;  // y: of the second input, or x again
  Size first;              // the number of the first answer
  Size answers;
  int64_t mask = 0;  // units
  // n of them, from answer i on.
  Group part(const Shape& s, Size i, Size n) const {
    const auto at = static_cast<int64_t>(i);
    return {x + at * s.answer.stride[0], y + at * s.answer.stride[1], first, n,
            mask + at * s.answer.stride[2]};
  }
};

// A panel's elements side by side: as they are, or copied where a shape is packed.
class SideBySide {
 public:
  SideBySide(const Shape& s, Size bytes, int inputs, const Panel& p) : panel(p) {
    const Layout near = s.columns ? Layout{p.elements, p.answers} : Layout{p.answers, p.elements};
    const auto size = static_cast<int64_t>(bytes);
    const auto pack = [&](const std::byte*& x, int64_t& row, int64_t& element,
                          std::unique_ptr<std::byte[]>& memory) {
      memory.reset(new std::byte[p.answers * p.elements * bytes]);
      int64_t &outer = s.columns ? element : row, &inner = s.columns ? row : element;
      if (bytes == 1) copy<1>(memory.get(), x, near, outer, inner);
      if (bytes == 2) copy<2>(memory.get(), x, near, outer, inner);
      if (bytes == 4) copy<4>(memory.get(), x, near, outer, inner);
      if (bytes == 8) copy<8>(memory.get(), x, near, outer, inner);
      x = memory.get();
      inner = size;
      outer = size * static_cast<int64_t>(near.inner);
    };
    if (s.packed) pack(panel.x, panel.row, panel.element, memory_);
    if (inputs > 1 && s.packed_y) pack(panel.y, panel.y_row, panel.y_element, memory_y_);
  }
  Panel panel;

 private:
  struct Layout {
    Size outer, inner;
  };
  template <std::size_t bytes>
  static void copy(std::byte* to, const std::byte* from, Layout near, int64_t outer,
                   int64_t inner) {
    for (Size o = 0; o < near.outer; ++o) {
      const std::byte* x = from + static_cast<int64_t>(o) * outer;
      for (Size i = 0; i < near.inner; ++i, x += inner, to += bytes) std::memcpy(to, x, bytes);
    }
  }
  std::unique_ptr<std::byte[]> memory_, memory_y_;
};

// Elements [begin, begin + n) of a group's answers.
inline Panel panel_of(const Shape& s, const Group& g, const Odometer& folded, Size begin, Size n,
                      bool first = true) {
  const auto at = static_cast<int64_t>(begin);
  return {.x = g.x + folded.offset + at * s.element.stride[0],
          .row = s.answer.stride[0],
          .element = s.element.stride[0],
          .answers = g.answers,
          .elements = n,
          .first = first,
          .y = g.y + folded.offset_y + at * s.element.stride[1],
          .y_row = s.answer.stride[1],
          .y_element = s.element.stride[1],
          .mask = g.mask + folded.offset_mask + at * s.element.stride[2],
          .mask_row = s.answer.stride[2],
          .mask_element = s.element.stride[2]};
}

// How many rows of so many columns are taken as one of more columns.
//   masked  as rows of the mask are, too
inline Size rows_at_once(const Shape& s, Size columns, Size bytes, bool masked = false) {
  const Size folds = columns < 8 ? 32 : 16;
  bool packed = s.element.stride[0] == static_cast<int64_t>(columns * bytes);
  if (masked) {
    packed &= s.element.stride[2] == s.answer.stride[2] * static_cast<int64_t>(columns);
  }
  return s.columns && !s.packed && packed && columns < 32 && s.element.extent >= 4 * folds ? folds
                                                                                           : 1;
}

}  // namespace onefold::cpu_backend
