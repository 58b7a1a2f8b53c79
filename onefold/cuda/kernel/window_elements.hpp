// The elements of a tile of windows, in shared memory.
#pragma once

#include "onefold/cuda/kernel/quick/totals.hpp"
#include "onefold/cuda/kernel/schedule/deal.hpp"
#include "onefold/cuda/kernel/window_tile.hpp"

namespace onefold::kernel {

template <class T, OpSet ops, class M>
struct WindowElements {
  static_assert(tiles_hold<T>(ops));
  using Totals = LaneTotals<T, ops, true>;
  static constexpr unsigned run = window_run, warps = window_warps<T>(ops), threads = 32 * warps,
                            size = threads * run;
  // Elements of a thread lie in other banks than those of its neighbours.
  static constexpr unsigned gap = sizeof(T) < 4 ? 4 / sizeof(T) : 1, apart = run + gap;
  static constexpr bool plain = Totals::plain, shifts = may_shift<T>(ops), ranged = plain || shifts;
  using Range = Either<ranged, MagnitudeRange<T>, NoRange>;

  M m;
  const NestInput<M, T>& input;
  const Deal& deal;
  const unsigned thread, width;
  Shared<M, T> element;
  Shared<M, uint32_t> taken;     // a bit for each element
  Shared<M, uint32_t> of_warps;  // whether elements are missing, and their range

  ONEFOLD_KERNEL WindowElements(M on, const NestInput<M, T>& in, const Deal& d)
      : m(on),
        input(in),
        deal(d),
        thread(static_cast<unsigned>(on.thread())),
        width(static_cast<unsigned>(in.windows.width)),
        element(shared<T, threads * apart, struct window_elements_>(on)),
        taken(shared<uint32_t, size / 32, struct window_taken_>(on)),
        of_warps(shared<uint32_t, 3 * warps, struct window_warps_>(on)) {}

  ONEFOLD_KERNEL static unsigned place(unsigned p) { return p + p / run * gap; }
  ONEFOLD_KERNEL bool takes(unsigned p) const {
    const uint32_t bits = taken[p / 32];
    return (bits >> p % 32 & 1) != 0;
  }
  // Returns a bit for each of this thread's elements.
  ONEFOLD_KERNEL uint32_t own_bits() const {
    const uint32_t bits = taken[thread * run / 32];
    return bits >> thread * run % 32 & 0xff;
  }

  // What is known of the elements of a tile.
  struct Known {
    bool every = false;  // all count
    bool exact =
        false;  // sums of those of a window have no errors; or differences of two, if shifts
  };
  // Copies n elements, of which the first is number `first` of a line, and waits.
  ONEFOLD_KERNEL Known copy(const Spot& line, int64_t first, unsigned n) const {
    Known known;
    if (!input.chosen.masked && first >= 0 && static_cast<Size>(first) + n <= input.elements) {
      if (static_cast<Size>(first) + size <= input.elements) {
        copy_all<true>(line, first, n);
      } else {
        copy_all<false>(line, first, n);
      }
      m.sync();
      known = find_known();
    }
    if (known.every) return known;
    copy_some(line, first, n);
    m.sync();
    return known;
  }

  // Reads element e of a line. Returns whether it counts.
  ONEFOLD_KERNEL bool read(const Spot& line, int64_t e, T& x) const {
    if (e < 0 || static_cast<Size>(e) >= input.elements) return false;
    x = input.x[line.x + e * deal.apart];
    if (input.chosen.masked) {
      const uint8_t there = input.mask[line.mask + e * input.axis[input.kept].stride[2]];
      if (there == 0) return false;
    }
    if constexpr (Floating<T>) return !(input.chosen.omit && is_a_nan(x));
    return true;
  }
  // Copies elements of which some do not count, or lie outside the line.
  ONEFOLD_KERNEL void copy_some(const Spot& line, int64_t first, unsigned n) const {
    ONEFOLD_NO_UNROLL
    for (unsigned p = thread; p < size; p += threads) {
      T x{};
      const bool there = p < n && read(line, first + p, x);
      if (!there) x = bit_cast<T>(bits_of_fill<T>(Totals::fill));
      element[place(p)] = x;
      const uint32_t bits = m.ballot(there);
      if (p % 32 == 0) taken[p / 32] = bits;
    }
  }

 private:
  ONEFOLD_KERNEL Known find_known() const {
    uint32_t missing = 0;
    Range range;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < warps; ++k) {
      const uint32_t of_warp = of_warps[k];
      missing |= of_warp;
      if constexpr (ranged) {
        const uint32_t greatest = of_warps[warps + k], least = of_warps[2 * warps + k];
        range.greatest = greatest > range.greatest ? greatest : range.greatest;
        range.least = least < range.least ? least : range.least;
      }
    }
    Known known{.every = missing == 0};
    if constexpr (ranged) known.exact = range.lost(shifts ? 2 : width, width) == 0;
    return known;
  }
  // Copies elements that all count, unless they are NaN that are left out. What a warp knows of
  // them goes to of_warps.
  //   full  the line has as many elements as a tile from there on
  template <bool full>
  ONEFOLD_KERNEL void copy_all(const Spot& line, int64_t first, unsigned n) const {
    const auto from = input.x + (line.x + first * deal.apart);
    T x[run];
    bool missing = false;
    Range range;
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < run; ++u) {
      const unsigned p = thread + u * threads;
      x[u] = T{};
      if (full || p < n) x[u] = from[p];
    }
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < run; ++u) {
      if constexpr (Floating<T>) missing |= is_a_nan(x[u]);
      range.add(x[u]);
      element[place(thread + u * threads)] = x[u];
    }
    note(missing && input.chosen.omit, range);
  }
  ONEFOLD_KERNEL void note(bool missing, Range& range) const {
    const bool any = m.any(missing);
    if constexpr (ranged) {
      range.greatest = m.redux_max(range.greatest);
      range.least = m.redux_min(range.least);
    }
    if (thread % 32 != 0) return;
    const unsigned warp = thread / 32;
    of_warps[warp] = any ? 1u : 0u;
    if constexpr (ranged) {
      of_warps[warps + warp] = range.greatest;
      of_warps[2 * warps + warp] = range.least;
    }
  }
};

}  // namespace onefold::kernel
