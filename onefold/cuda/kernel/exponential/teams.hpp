// The teams of a block's threads, each of which has a part of a slice.
#pragma once

#include "onefold/cuda/kernel/exponential/sum.hpp"

namespace onefold::kernel {

template <class T, bool elementwise, class M>
struct RowTeams {
  M m;
  const Exponential<M, T>& in;
  const Scratch<M>& scratch;

  ONEFOLD_KERNEL unsigned count() const { return static_cast<unsigned>(m.threads()) / in.team; }
  // Of the thread's team.
  ONEFOLD_KERNEL unsigned index() const {
    const auto t = static_cast<unsigned>(m.thread());
    return in.across ? t % count() : t / in.team;
  }
  // Returns the thread's part.
  ONEFOLD_KERNEL SlicePart place() const {
    const auto t = static_cast<unsigned>(m.thread());
    SlicePart at = place_of(index());
    at.member = in.across ? t / count() : t % in.team;
    return at;
  }
  ONEFOLD_KERNEL bool has(const SlicePart& at) const {
    return at.slice < in.nest.answers && at.first < in.length();
  }
  // Returns the part of a slice that a team of the block has; for teams beyond the last part
  // its slice is beyond the last one, or its first element beyond the slice.
  ONEFOLD_KERNEL SlicePart place_of(unsigned index) const {
    // Neighbouring teams have neighbouring slices if they are to read neighbouring elements.
    const Size item = Size{m.block()} * count() + index,
               other = in.across ? in.nest.answers : in.parts,
               major = other == 1 ? item : quotient_of(item, other), minor = item - major * other;
    SlicePart at;
    at.slice = in.across ? minor : major;
    at.first = (in.across ? major : minor) * in.part;
    at.end = in.length() - at.first < in.part ? in.length() : at.first + in.part;
    if (at.slice < in.nest.answers) {
      const Spot spot = answer_at<elementwise>(in.nest, at.slice);
      at.x = spot.x;
      at.out = elementwise ? spot.y : spot.step;
    }
    return at;
  }

  // Writes NaN as the answers of a slice that has one.
  ONEFOLD_KERNEL void spread_nan(const SlicePart& at) const {
    const T nan = of_bits<T>(float_format(dtype_of<T>).nan());
    for (Size i = at.first + at.member; i < at.end; i += in.team) {
      in.out[at.out + static_cast<int64_t>(i) * in.out_stride()] = nan;
    }
  }

  // Notes the slices of threads with elements that are not proven, without a wait for others.
  ONEFOLD_KERNEL void note_each(const SlicePart& at, bool bad) const {
    const uint32_t some = m.ballot(bad);
    const unsigned lane = static_cast<unsigned>(m.thread()) % 32;
    // Of the threads of a slice the first one does, unless slices lie across.
    const uint32_t before = some & ((1u << lane) - 1);
    const bool first =
        in.across || (in.team < 32 ? before >> (lane / in.team * in.team) : before) == 0;
    if (bad && first) note_slice(m, scratch, at.slice);
  }
  // Notes slices of which some thread's elements are not proven.
  ONEFOLD_KERNEL void note_any(const SlicePart& at, bool bad, unsigned index) const {
    const auto marks = shared<uint32_t, int{exponential_threads}, struct marks_>(m);
    if (at.member == 0) marks[index] = 0u;
    m.sync();
    if (m.branch(bad)) m.add(marks, index, 1u);
    m.sync();
    if (at.member != 0) return;
    const uint32_t some = marks[index];
    if (some != 0) note_slice(m, scratch, at.slice);
  }
};

}  // namespace onefold::kernel
