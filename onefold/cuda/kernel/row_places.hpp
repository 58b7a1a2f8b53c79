// Addresses of a lane's rows, and which lanes of a warp fold which rows of a tile.
#pragma once

#include "onefold/cuda/kernel/schedule/beside.hpp"
#include "onefold/cuda/kernel/schedule/deal.hpp"

namespace onefold::kernel {

// Divides a tile's rows among the groups of a warp: each group of `lanes` lanes has several rows.
struct LanesOfRows {
  unsigned lanes, groups, each;  // each: answers that a lane holds after `Rows::meet`
  ONEFOLD_KERNEL LanesOfRows(unsigned bits, unsigned rows)
      : lanes(1u << bits), groups(32u >> bits), each(rows > lanes ? rows / lanes : 1) {}
  ONEFOLD_KERNEL unsigned answers(unsigned rows) const { return groups * rows; }
  // Returns which row of the tile the lane's answer s belongs to; ~0 if the lane holds no such
  // answer.
  ONEFOLD_KERNEL unsigned row_of(unsigned rows, unsigned lane, unsigned s) const {
    const unsigned sub = lane % lanes, group = lane / lanes;
    if (lanes <= rows) return (sub * each + s) * groups + group;
    const unsigned share = lanes / rows;
    return sub % share == 0 ? sub / share * groups + group : ~0u;
  }
};

// Addresses of the first elements of a lane's rows, or of their current runs.
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
  // Sets row p to row i of a tile whose rows lie along one kept axis.
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
// Which loads of a run a lane takes: from `first` on, `deep` of them in a turn, `step` loads apart.
//   V       elements of a load
//   deep    loads of a turn
//   turn    distance between the first loads of consecutive turns
//   part    number of this warp among the `parts` warps that take turns along a run
template <bool even, uint32_t V, uint32_t deep, bool pairs>
struct WayOfRows {
  // Whole loads of a run, wherever it begins; elements outside of them.
  uint32_t loads, singles = 0;
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
  // `step` is a power of 2, so this is part * step + first % step.
  ONEFOLD_KERNEL uint32_t first_single() const { return part * step + (first & (step - 1)); }
  ONEFOLD_KERNEL void share(uint32_t my_part, uint32_t all_parts) {
    part = my_part;
    parts = all_parts;
    first += part * turn;
    turn *= parts;
  }
};

}  // namespace onefold::kernel
