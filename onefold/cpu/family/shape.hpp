// The loop nest of a fold by panels: which two axes are inside a panel, and which are around it.
#pragma once

#include <cstdlib>
#include <vector>

#include "onefold/cpu/copy_grid.hpp"
#include "onefold/cpu/pack.hpp"
#include "onefold/cpu/panel.hpp"
#include "onefold/engine/plan/nest.hpp"

namespace onefold::cpu_backend {

// The two inner axes of a panel, one kept and one folded, and the axes around them.
struct Shape {
  Axis answer{.extent = 1, .step = 1}, element{.extent = 1, .folded = true};
  std::vector<Axis> kept, folded;
  Size outer = 1, again = 1;           // numbers of steps along the axes around: kept, folded
  bool rows = false, columns = false;  // which of the two inner axes is contiguous
  bool packed = false;                 // a panel is first copied, so that one of them is
  bool packed_y = false;               // the same for the second input
};

// From so many on, short rows are copied as columns: a vector then holds elements of several rows.
inline constexpr Size least_turned = 64;

inline Shape shape_of(const Nest& nest) {
  Shape s;
  for (const Axis& a : nest.axes) (a.folded ? s.folded : s.kept).push_back(a);
  const auto fastest = [](std::vector<Axis>& axes, Axis& to) {
    if (axes.empty()) return;
    to = axes.back();
    axes.pop_back();
  };
  fastest(s.kept, s.answer);
  fastest(s.folded, s.element);
  s.outer = nest.answers() / s.answer.extent;
  s.again = nest.elements() / s.element.extent;
  const auto bytes = static_cast<int64_t>(nest.bytes);
  s.columns = s.answer.stride[0] == bytes;
  s.rows = !s.columns && (s.element.stride[0] == bytes || s.element.extent == 1);
  s.packed = !s.rows && !s.columns;
  if (s.packed) {
    s.columns = s.answer.extent > 1 && std::abs(s.answer.stride[0]) < std::abs(s.element.stride[0]);
    s.rows = !s.columns;
  } else if (s.rows && turns_rows(s.element.extent) && s.answer.extent >= least_turned &&
             s.answer.stride[0] == static_cast<int64_t>(s.element.extent) * bytes) {
    s.packed = s.columns = true;
    s.rows = false;
  }
  s.packed_y = (s.columns ? s.answer : s.element).stride[1] != bytes;
  return s;
}

// A group of neighbouring answers that are folded together.
inline constexpr Size most_group = 4096;
struct Group {
  const std::byte *x, *y;  // y: the second input, or x again
  Size first;              // the first answer's number
  Size answers;
  int64_t mask = 0;  // in mask units
  // Returns the n answers of this group that begin with answer i.
  Group part(const Shape& s, Size i, Size n) const {
    const auto at = static_cast<int64_t>(i);
    return {x + at * s.answer.stride[0], y + at * s.answer.stride[1], first, n,
            mask + at * s.answer.stride[2]};
  }
};

// Returns the panel of elements [begin, begin + n) of a group, at step `again` of the outer folded
// axes.
inline Panel panel_of(const Shape& s, const Group& g, Size again, Size begin, Size n,
                      bool first = true) {
  const Walk folded(s.folded, again);
  const auto at = static_cast<int64_t>(begin);
  return {.x = g.x + folded.offset() + at * s.element.stride[0],
          .row = s.answer.stride[0],
          .element = s.element.stride[0],
          .answers = g.answers,
          .elements = n,
          .first = first,
          .y = g.y + folded.offset_y() + at * s.element.stride[1],
          .y_row = s.answer.stride[1],
          .y_element = s.element.stride[1],
          .mask = g.mask + folded.offset_mask() + at * s.element.stride[2],
          .mask_row = s.answer.stride[2],
          .mask_element = s.element.stride[2]};
}

// Returns how many answers one task should have when it joins so many parts of their elements.
inline Size joined_at_once(Size parts) { return std::max<Size>(1024 / parts / 8 * 8, 8); }

// Returns how many rows of `columns` columns to treat as one longer row.
//   masked  the mask's rows are joined too
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
