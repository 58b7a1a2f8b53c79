// Folds runs, of neighbours at best, of any length and anywhere: 1 to 32 lanes hold an answer,
// which may have several of them.
//
//   streams  a lane reads from several rows at once, or from several places of one (`split`): so
//            that loads are on their way while others are added
//   warp     takes the answers of its groups' streams, once in a launch, or a part of one answer
//   parts    of an answer are runs, or pieces of its only run; they meet in memory
#pragma once

#include "onefold/kernel/end/parts.hpp"
#include "onefold/kernel/quick/answers.hpp"
#include "onefold/kernel/run_feed.hpp"

namespace onefold::kernel {

// Which answers of its tile a lane has after the meeting.
template <int streams>
struct RowDeal {
  unsigned lane_bits, groups, each;  // each: answers of a lane
  bool split;
  ONEFOLD_KERNEL explicit RowDeal(const Deal& deal)
      : lane_bits(deal.lane_bits),
        groups(32u >> deal.lane_bits),
        each(deal.split ? 1 : 1 + ((streams - 1) >> deal.lane_bits)),
        split(deal.split) {}
  ONEFOLD_KERNEL unsigned answers() const { return split ? groups : groups * streams; }
  // In slot s of a lane; 32 streams or more: none.
  ONEFOLD_KERNEL unsigned place(unsigned lane, unsigned s) const {
    constexpr unsigned stream_bits = streams == 1 ? 0 : streams == 2 ? 1 : 2;
    const unsigned lanes = 1u << lane_bits, sub = lane & (lanes - 1), group = lane >> lane_bits;
    if (split) return sub == 0 ? group : ~0u;
    if (each > 1) return (sub * each + s) * groups + group;
    const unsigned share = lane_bits - stream_bits;
    return (sub & ((1u << share) - 1)) == 0 ? (sub >> share) * groups + group : ~0u;
  }
};

// The tiles of a warp: `batch` of answers, or one of a part.
struct RowItem {
  Size tile;
  uint32_t part = 0;
  ONEFOLD_KERNEL RowItem(const Deal& deal, Size block, unsigned warp)
      : tile(block * block_warps + warp) {
    if (deal.parts > 1) {
      const Size item = tile;
      tile = quotient_of(item, deal.parts);
      part = static_cast<uint32_t>(item - tile * deal.parts);
    } else {
      tile *= deal.batch;
    }
  }
};

// A part of one answer, which the whole warp has, meets the others. True: `total` is of them all.
template <class All, class M>
ONEFOLD_KERNEL bool meet_parts(M m, const Scratch<M>& scratch, const Deal& deal, Size answer,
                               uint32_t part, All& total) {
  const unsigned lane = static_cast<unsigned>(m.thread()) % 32;
  const auto laid = scratch.left + answer * deal.parts * All::words;
  unsigned drawn = 0;
  if (lane == 0) {
    total.store(laid + Size{part} * All::words, 1);
    m.fence();
    drawn = m.add(scratch.tickets, answer, 1u);
  }
  const bool last = m.shuffle(drawn, 0) == deal.parts - 1;
  if (last) {
    // Each lane sees for itself that all have come, and then what they left.
    load_relaxed<uint32_t>(m, scratch.tickets + answer, 0);
    m.fence();
    m.sync_warp();
    if (lane == 0) scratch.tickets[answer] = 0u;
    total = All();
    ONEFOLD_NO_UNROLL
    for (Size p = lane; p < deal.parts; p += 32) total.add(All::load(laid + p * All::words, 1));
    ONEFOLD_NO_UNROLL
    for (unsigned d = 16; d > 0; d /= 2) total.add(total.across(m, d));
  }
  return last;
}

template <class T, uint32_t ops, bool selects, class M>
ONEFOLD_KERNEL void fold_runs(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                              const Results<M, ops>& results, const Deal& deal) {
  using Feed = RowFeed<T, ops, selects, M>;
  using All = Totals<T, ops, selects>;
  constexpr int streams = Feed::streams;
  static_assert(streams == 1 || streams == 2 || streams == 4);
  constexpr unsigned most_of_tile = 32 * streams;
  const unsigned t = static_cast<unsigned>(m.thread()), lane = t % 32, warp = t / 32,
                 lanes = 1u << deal.lane_bits, sub = lane & (lanes - 1);
  const RowDeal<streams> rows(deal);
  const RowItem item(deal, m.block(), warp);
  const auto spots =
      shared<Spot, block_warps * most_of_tile, struct spots_>(m) + warp * most_of_tile;
  const bool one_run = deal.rows == 1, several = input.kept > 1;  // kept axes
  const auto all = one_run ? deal.length : static_cast<uint32_t>(deal.rows),
             each = static_cast<uint32_t>(deal.part), begin = item.part * each,
             end = all - begin < each ? all : begin + each;
  const typename Feed::Way way(deal, one_run ? end - begin : deal.length, sub);
  // How far the row is behind the tile's first, where one axis is kept.
  const auto pitch_of = [&](int k) { return input.kept == 0 ? 0 : input.axis[0].stride[k]; };
  const int64_t pitch = pitch_of(0), y_pitch = All::pairs ? pitch_of(1) : 0,
                mask_pitch = selects ? pitch_of(2) : 0;
  const auto row_at = [&](Size row) -> Spot {
    const auto at = static_cast<int64_t>(row);
    return {.x = at * pitch, .y = at * y_pitch, .mask = at * mask_pitch};
  };
  // Of stream p, from the tile's first row; of several axes, from the first of all.
  const auto place_of = [&](int p) {
    return (lane >> deal.lane_bits) + (rows.split ? 0 : static_cast<unsigned>(p) * rows.groups);
  };
  int64_t offset[streams];
  typename Feed::Beside beside(input, one_run ? begin : 0);
  ONEFOLD_UNROLL
  for (int p = 0; p < streams; ++p) {
    const Spot at = row_at(place_of(p));
    offset[p] = at.x;
    beside.place(p, at);
  }
  const auto base = input.x + (one_run ? static_cast<int64_t>(begin) * deal.apart : 0);
  ONEFOLD_NO_UNROLL
  for (unsigned b = 0; b < deal.batch; ++b) {
    const Size answers = (item.tile + b) * rows.answers();
    if (answers >= deal.answers) break;
    const Size left = deal.answers - answers;
    const unsigned here = left < rows.answers() ? static_cast<unsigned>(left) : rows.answers();
    auto from = base;
    if (several) {
      // Each lane says where some of the tile's answers are.
      m.sync_warp();
      ONEFOLD_NO_UNROLL
      for (unsigned a = lane; a < here; a += 32) {
        spots[a] = spot_of<All::pairs, selects>(input, 0, input.kept, answers + a);
      }
      m.sync_warp();
    } else {
      const Spot tile = row_at(answers);
      from = base + tile.x;
      beside.tile(tile);
    }
    if (several || here < rows.answers()) {
      // Behind the last answer the last one once more, which nobody asks for.
      ONEFOLD_UNROLL
      for (int p = 0; p < streams; ++p) {
        const unsigned a = place_of(p) < here ? place_of(p) : here - 1;
        Spot at = row_at(a);
        offset[p] = at.x;
        beside.place(p, at);
        if (several) {
          at = spots[a];
          offset[p] = at.x;
          beside.place(p, at);
        }
      }
    }
    All total[streams];
    typename All::Seen range;
    ONEFOLD_NO_UNROLL
    for (uint32_t k = one_run ? 0 : begin; k < (one_run ? 1 : end); ++k) {
      auto start = from;
      if (!one_run) {
        const Spot s = spot_of<All::pairs, selects>(input, input.kept + 1, input.folded - 1, k);
        start = from + s.x;
        beside.run(s);
      }
      In<M, T> run[streams];
      ONEFOLD_UNROLL
      for (int p = 0; p < streams; ++p) run[p] = start + offset[p];
      Feed::take(m, total, range, run, beside, way, deal.apart, one_run ? begin : k * deal.length);
    }
    ONEFOLD_UNROLL
    for (int p = 0; p < streams; ++p) total[p].lose(range, Feed::V, deal.formulas.depth);
    Feed::meet(m, total, sub, lanes, rows.split);
    bool last = true;
    if (deal.parts > 1) last = meet_parts(m, scratch, deal, item.tile, item.part, total[0]);
    ONEFOLD_NO_UNROLL
    for (unsigned s = 0; s < rows.each; ++s) {
      All one = total[0];
      ONEFOLD_UNROLL
      for (unsigned p = 1; p < streams; ++p) one = All::choose(s == p, total[p], one);
      const unsigned a = rows.place(lane, s);
      if (!m.branch(last && a < here)) continue;
      int64_t step = input.kept == 0 ? 0 : static_cast<int64_t>(answers + a) * input.axis[0].step;
      if (several) {
        const Spot at = spots[a];
        step = at.step;
      }
      const bool sure = LaneAnswers<T, ops, selects>::put_all(
          m, one, input, deal.formulas, results, input.answer + static_cast<Size>(step));
      if (!sure) note_undecided(m, scratch, answers + a);
    }
  }
}

}  // namespace onefold::kernel
