// Folds rows: runs of any length and address, best of neighbours in memory, by 1 to 32 lanes each.
//
//   even    2^bits lanes a row, known when the kernel is compiled, so that merging lanes needs no
//           loops. A row is one run of whole, aligned loads of 16 bytes, at least one for each lane
//   any     (bits: any_bits) the launch sets the number of lanes. Elements outside of whole loads
//           are loaded one by one; a row may have several runs
//   long    (bits: long_bits) as any, but a whole warp folds one row, or a part of it: the warps of
//           all parts take turns along a run, or each has some of the runs. The parts of a block
//           are merged in shared memory, those of all blocks in global memory
//   rows    a lane folds several rows at once, so that their loads are in flight together; of a
//           long row it has several loads in flight
//   tile    the rows that a warp folds at once; of small tiles a warp folds several, one by one
#pragma once

#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/quick/answers.hpp"
#include "onefold/cuda/kernel/row_group.hpp"

namespace onefold::kernel {

// Stores the offsets of answers first .. first + n in shared memory.
template <bool two, bool selects, class T, class M>
ONEFOLD_KERNEL void lay_spots(M m, const NestInput<M, T>& input, Size first, unsigned n,
                              Shared<M, Spot> spots) {
  m.sync_warp();
  ONEFOLD_NO_UNROLL
  for (unsigned a = static_cast<unsigned>(m.lane()); a < n; a += 32) {
    spots[a] = spot_of<two, selects>(input, 0, input.kept, first + a);
  }
  m.sync_warp();
}

// Adds up the totals of a block's warps, in its first warp.
template <class All, class M>
ONEFOLD_KERNEL void meet_warps(M m, Shared<M, int64_t> of_warps, All& total) {
  const unsigned t = static_cast<unsigned>(m.thread()), lane = t % 32;
  if (lane == 0) total.store(of_warps + t / 32, block_warps);
  m.sync();
  if (t >= 32) return;
  total = All();
  if (lane < block_warps) total = All::load(of_warps + lane, block_warps);
  ONEFOLD_NO_UNROLL
  for (unsigned d = block_warps / 2; d > 0; d /= 2) total.add(total.across(m, d));
}

// Merges the totals of a block's warps, which have parts of one answer, in shared memory, and those
// of all blocks in global memory. Returns true in the warp that then has the total of all parts.
template <class All, class M>
ONEFOLD_KERNEL bool meet_all(M m, const Scratch<M>& scratch, uint32_t parts, Size answer,
                             uint32_t part, All& total) {
  constexpr unsigned words = All::words == 0 ? 1 : All::words;
  const auto of_warps = shared<int64_t, block_warps * words, struct of_warps_>(m);
  const unsigned t = static_cast<unsigned>(m.thread()), blocks = parts / block_warps;
  meet_warps(m, of_warps, total);
  if (blocks > 1) {
    const auto of_blocks = scratch.left + answer * blocks * All::words;
    if (t == 0) total.store(of_blocks + part / block_warps, blocks);
    if (!is_last_part(m, scratch, answer, blocks)) return false;
    total = sum_of_parts<All>(m, of_blocks, 1, blocks, blocks, t, 32 * block_warps);
    meet_warps(m, of_warps, total);
  }
  return t < 32;
}

// Folds a tile's rows, or one part of them.
//   spots   room in shared memory for the rows' offsets if there are several kept axes
template <class T, OpSet ops, bool selects, int bits, class M>
ONEFOLD_KERNEL void fold_tile_of_rows(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                      const Results<M, ops>& results, const Deal& deal,
                                      const LanesOfRows& by, Size tile, uint32_t part,
                                      Shared<M, Spot> spots) {
  using R = Rows<T, ops, selects, bits, M>;
  using All = typename R::All;
  constexpr bool even = R::even, two = All::pairs;
  const unsigned lane = static_cast<unsigned>(m.lane()), sub = lane % by.lanes,
                 most = by.answers(R::rows);
  const Size first = tile * most, left = deal.answers - first;
  const auto here = static_cast<unsigned>(left < most ? left : most);
  const bool several = !even && input.kept > 1;
  if (several) lay_spots<two, selects>(m, input, first, here, spots);
  const NestAxis& rows = input.axis[0];
  const auto answer_of = [&](unsigned row) -> Spot {
    if (!several) return step_of(rows, first + row);
    const Spot s = spots[row];
    return s;
  };
  const bool one_run = even || deal.rows == 1;
  // The first run and the end, if a row has several runs.
  uint32_t begin = 0, end = static_cast<uint32_t>(deal.rows);
  if (R::by_part && !one_run) {
    // A part behind the last run is empty.
    const uint32_t all = end, wanted = part * static_cast<uint32_t>(deal.part);
    begin = wanted > all ? all : wanted;
    end = all - begin < deal.part ? all : begin + static_cast<uint32_t>(deal.part);
  }
  All total[R::rows];
  typename R::Context range = All::context_of(input.elements);
  typename R::Batches batch;
  typename R::Way way(deal, by, sub, deal.length);
  if (R::by_part && one_run) way.share(part, deal.parts);
  typename R::Place at;
  ONEFOLD_UNROLL
  for (unsigned p = 0; p < R::rows; ++p) {
    // A lane group without a row loads the tile's last row again; its answer is not written.
    const unsigned row = lane / by.lanes + p * by.groups, i = row < here ? row : here - 1;
    if constexpr (even) {
      at.put(p, input, first, i);
    } else {
      at.put(p, input, answer_of(i));
    }
  }
  Spot run;  // offset of the current run, if a row has several runs
  ONEFOLD_NO_UNROLL
  for (uint32_t k = begin; !R::by_part || one_run || k < end;) {
    if (!one_run) {
      const Spot next = spot_of<two, selects>(input, input.kept + 1, input.folded - 1, k);
      ONEFOLD_UNROLL
      for (int p = 0; p < R::rows; ++p) at.move(p, next.from(run));
      run = next;
    }
    R::take_runs(m, total, range, batch, input, at, way, k * static_cast<uint32_t>(deal.length));
    if (one_run || ++k == end) break;
  }
  R::close(total, range, batch, deal, by.lanes);
  R::meet(m, total, sub, by);
  if constexpr (R::by_part) {
    if (deal.parts > 1 && !meet_all(m, scratch, deal.parts, tile, part, total[0])) return;
  }
  const Size answer = input.answer + static_cast<Size>(static_cast<int64_t>(first) * rows.step);
  const auto put = [&](const All& one, unsigned s) {
    const unsigned row = by.row_of(R::rows, lane, s);
    if (!m.branch(row < here)) return;
    auto at_answer = answer + static_cast<Size>(static_cast<int64_t>(row) * rows.step);
    if (several) at_answer = input.answer + static_cast<Size>(answer_of(row).step);
    const bool sure =
        LaneAnswers<T, ops, selects>::put_all(m, one, input, deal.formulas, results, at_answer);
    if (R::by_part && deal.alone) {
      scratch.undecided[int{some_undecided}] = sure ? 0u : 1u;
    } else if (!sure) {
      note_undecided(m, scratch, first + row);
    }
  };
  constexpr unsigned each = !even ? R::rows : R::rows >> bits != 0 ? R::rows >> bits : 1;
  for_each_answer<even && count_ops(ops) == 1, each>(total, even ? each : by.each, put);
}

template <class T, OpSet ops, bool selects, int bits, class M>
ONEFOLD_KERNEL void fold_rows(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                              const Results<M, ops>& results, const Deal& deal) {
  using R = Rows<T, ops, selects, bits, M>;
  constexpr unsigned most_of_tile = R::even || R::by_part ? 1 : 32 * R::rows;
  const unsigned warp = static_cast<unsigned>(m.thread()) / 32;
  const auto spots =
      shared<Spot, block_warps * most_of_tile, struct spots_>(m) + warp * most_of_tile;
  const LanesOfRows by(R::even ? bits : R::by_part ? 5 : deal.lane_bits, R::rows);
  const Size item = Size{m.block()} * block_warps + warp;
  Size before = item * deal.batch;
  uint32_t part = 0;
  if (R::by_part && deal.parts > 1) {
    before = quotient_of(item, deal.parts);
    part = static_cast<uint32_t>(item - before * deal.parts);
  }
  ONEFOLD_NO_UNROLL
  for (unsigned b = 0; b < deal.batch; ++b) {
    const Size tile = (R::even ? item * deal.batch : before) + b;
    if (tile * by.answers(R::rows) >= deal.answers) return;
    fold_tile_of_rows<T, ops, selects, bits>(m, input, scratch, results, deal, by, tile, part,
                                             spots);
  }
}

}  // namespace onefold::kernel
