// Where a lane's rows are, and the division of a tile's rows among the lanes of a warp.
#pragma once

#include "onefold/kernel/schedule/beside.hpp"
#include "onefold/kernel/schedule/deal.hpp"

namespace onefold::kernel {

// The division of a tile's rows among the lanes of a warp.
struct LanesOfRows {
  unsigned lanes, groups, each;  // each: answers of a lane
  ONEFOLD_KERNEL LanesOfRows(unsigned bits, unsigned rows)
      : lanes(1u << bits), groups(32u >> bits), each(rows > lanes ? rows / lanes : 1) {}
  ONEFOLD_KERNEL unsigned answers(unsigned rows) const { return groups * rows; }
  // The row of a lane's answer s, of the tile; behind it: none.
  ONEFOLD_KERNEL unsigned row_of(unsigned rows, unsigned lane, unsigned s) const {
    const unsigned sub = lane % lanes, group = lane / lanes;
    if (lanes <= rows) return (sub * each + s) * groups + group;
    const unsigned share = lanes / rows;
    return sub % share == 0 ? sub / share * groups + group : ~0u;
  }
};

// The begins of a lane's rows, or of their runs.
template <class T, int rows, bool pairs, bool selects, class M>
struct RowPlaces {
  In<M, T> x[rows];
  In<M, T> y[pairs ? rows : 1];
  In<M, uint8_t> mask[selects ? rows : 1];
  ONEFOLD_KERNEL void put(int p, const NestInput<M, T>& input, const Spot& s) {
    x[p] = input.x + s.x;
    if constexpr (pairs) y[p] = input.y + s.y;
    if constexpr (selects) mask[p] = input.mask + s.mask;
  }
  // Row i of a tile, of one kept axis.
  ONEFOLD_KERNEL void put(int p, const NestInput<M, T>& input, Size tile, unsigned i) {
    const auto& stride = input.axis[0].stride;
    const auto before = static_cast<int64_t>(tile), all = before + static_cast<int64_t>(i);
    x[p] = (input.x + before * stride[0]) + static_cast<int64_t>(i) * stride[0];
    if constexpr (pairs) y[p] = input.y + all * stride[1];
    if constexpr (selects) mask[p] = input.mask + all * stride[2];
  }
  ONEFOLD_KERNEL void move(int p, const Spot& s) {
    x[p] = x[p] + s.x;
    if constexpr (pairs) y[p] = y[p] + s.y;
    if constexpr (selects) mask[p] = mask[p] + s.mask;
  }
};
// How a lane goes along runs. Its loads of a turn are `step` apart, its turns `turn`.
//   V      elements of a load
//   deep   loads of a turn
//   part   of `parts` warps that take turns along a run
template <bool even, uint32_t V, uint32_t deep, bool pairs>
struct WayOfRows {
  uint32_t loads, singles = 0;  // of a run: as many wherever it begins; elements in none
  uint32_t first, step, turn;
  uint32_t part = 0, parts = 1;
  ONEFOLD_KERNEL WayOfRows(const Deal& deal, const LanesOfRows& by, uint32_t sub, Size n)
      : loads(deal.loads), first(sub), step(by.lanes), turn(deep * by.lanes) {
    if constexpr (!even) {
      const Size all = deal.apart != 1 || (pairs && !deal.wide_second) ? 0
                       : deal.wide                                     ? n / V
                       : n + 1 < V                                     ? 0
                                                                       : (n + 1) / V - 1;
      loads = static_cast<uint32_t>(all);
      singles = static_cast<uint32_t>(n - all * V);
    }
  }
  // Lanes are a power of 2.
  ONEFOLD_KERNEL uint32_t first_single() const { return part * step + (first & (step - 1)); }
  ONEFOLD_KERNEL void share(uint32_t my_part, uint32_t all_parts) {
    part = my_part;
    parts = all_parts;
    first += part * turn;
    turn *= parts;
  }
};

}  // namespace onefold::kernel
