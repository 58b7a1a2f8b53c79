// The argument of the launches of a scan.
#pragma once

#include "onefold/cuda/kernel/answer/ops.hpp"
#include "onefold/cuda/kernel/answer/place.hpp"
#include "onefold/cuda/kernel/schedule/nest.hpp"
#include "onefold/cuda/kernel/state.hpp"

namespace onefold::kernel {

// A scan that begins anew at offsets has a block for each segment, without parts; longer ones than
// `longest` have launches of their own, as lines.
//
// The launches of a scan. A line is cut into parts: a block sums each (`sum`), another one those
// before each part (`carry`); then blocks go along their parts, tile by tile (`answer`). If lines
// are single parts, the last launch is alone.
enum class ScanStep : uint8_t { sum, carry, answer };

// Threads of a block, and elements of a thread in a tile: whole vectors of 16 bytes.
// Short lines have a small block each.
inline constexpr unsigned scan_warps = 8, short_scan_warps = 2, scan_threads = 32 * scan_warps;
template <class T>
inline constexpr unsigned scan_items = sizeof(T) == 1 || (Floating<T> && sizeof(T) < 8) ? 16 : 8;
template <class T, unsigned warps = scan_warps>
inline constexpr unsigned scan_tile = scan_items<T>*(32 * warps);

template <class M, class T>
struct Scan {
  NestInput<M, T> nest;  // lines are its answers; one axis is folded
  Size parts = 1;        // of a line
  Size part = 0;         // elements of a part: whole tiles
  int64_t apart = 1;     // answers from an element's to the next one's
  ScanStep step = ScanStep::answer;
  bool wide = false;            // x and the answers are contiguous lines of whole loads of 16 bytes
  bool exclusive = false;       // an answer is without its own element
  Out<M, int64_t> states = {};  // of each part: its own, then that of the parts before
  Size segments = 0;            // of the one line; 0: it has none
  Size longest = 0;
  In<M, int64_t> offsets = {};  // of segments

  // Elements that answers take in.
  ONEFOLD_KERNEL Size n() const { return nest.elements - (exclusive ? 1 : 0); }
  ONEFOLD_KERNEL int64_t stride() const { return nest.axis[nest.kept].stride[0]; }
};

// Where a block's part lies.
struct ScanPart {
  Size first, end;  // elements
  int64_t x;        // of the line's first element
  Size y;           // number of the answer up to that
  bool begins;      // nothing is before it, and it has an answer

  template <class M, class T>
  ONEFOLD_KERNEL ScanPart(M m, const Scan<M, T>& in) {
    const auto behind = static_cast<Size>(in.exclusive ? in.apart : 0);
    if (in.segments != 0) {
      const int64_t from = in.offsets[m.block()], to = in.offsets[m.block() + 1];
      const bool here = static_cast<Size>(to - from) <= in.longest;
      first = static_cast<Size>(from);
      begins = here && from != to;
      end = static_cast<Size>(begins ? to - (in.exclusive ? 1 : 0) : from);
      x = answer_at<false>(in.nest, 0).x;
      y = in.nest.answer + behind;
      return;
    }
    const Size line = quotient_of(Size{m.block()}, in.parts), part = m.block() - line * in.parts;
    first = part * in.part;
    end = in.n() - first < in.part ? in.n() : first + in.part;
    const Spot at = answer_at<false>(in.nest, line);
    x = at.x;
    y = in.nest.answer + static_cast<Size>(at.step) + behind;
    begins = part == 0;
  }
};

}  // namespace onefold::kernel
