// Where segments lie, and windows, which are segments that overlap.
#pragma once

#include "onefold/cuda/kernel/schedule/nest.hpp"

namespace onefold::kernel {

// The segment, or window of a line, that an answer belongs to, and which index of the other axes.
struct SegmentOf {
  Size segment, column = 0;
};
//   columns  answers of a segment that is no window
template <class M, class T>
ONEFOLD_KERNEL SegmentOf segment_of(const NestInput<M, T>& input, Size answer, Size columns) {
  const WindowRule& w = input.windows;
  if (w.count != 0) {
    const Size all = quotient_of(answer, w.inner), outer = quotient_of(all, w.count);
    return {all - outer * w.count, answer - (all - outer) * w.inner};
  }
  if (columns == 1) return {answer};
  const Size i = quotient_of(answer, columns);
  return {i, answer - i * columns};
}

// The elements [begin, end) of the axis; unchecked if they are offsets.
struct SegmentEnds {
  Size begin = 0, end = 0;
};
//   narrow  offsets are int32
template <class M>
ONEFOLD_KERNEL Size offset_at(M m, In<M, int64_t> offsets, bool narrow, Size i) {
  if (narrow) {
    const int32_t v = m.template as<int32_t>(offsets)[i];
    return static_cast<Size>(int64_t{v});
  }
  const int64_t v = offsets[i];
  return static_cast<Size>(v);
}
template <class M, class T>
ONEFOLD_KERNEL SegmentEnds segment_ends(M m, const NestInput<M, T>& input, Size segment) {
  const WindowRule& w = input.windows;
  if (w.width != 0) {
    const int64_t end = w.end(segment);
    return {WindowRule::within(end - static_cast<int64_t>(w.width), input.elements),
            WindowRule::within(end, input.elements)};
  }
  return {offset_at(m, input.offsets, input.narrow_offsets, segment),
          offset_at(m, input.offsets, input.narrow_offsets, segment + input.ends)};
}

}  // namespace onefold::kernel
