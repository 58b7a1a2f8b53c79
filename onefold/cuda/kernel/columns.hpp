// Folds columns: neighbours belong to neighbouring answers, and a lane holds several of them.
//
//   team     a warp or a block folds one tile of columns: `lanes` neighbouring threads read a row
//            of the tile, the other threads other rows of it; a warp merges their totals by
//            shuffles, a block in shared memory
//   even     (Walk::even_columns) whole vector loads, one folded axis, a team for each tile
//   single   (Walk::single_columns) as even, but a thread has one column: for few columns, and for
//   any      (Walk::columns) any width and alignment, any number of folded axes, and:
//     copies   if there are few columns, 2^copy_bits consecutive rows are treated as one row
//     parts    an answer's rows may be divided among teams, whose totals are merged in memory: in
//              groups of 32 parts, then those groups
#pragma once

#include "onefold/cuda/kernel/column_meeting.hpp"
#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/quick/neighbours.hpp"

namespace onefold::kernel {

// Which tile of columns a team folds, and how many answers lie before it.
struct ColumnsItem {
  Size outer = 0, tile, part = 0, first, before;
  template <class Input>
  ONEFOLD_KERNEL ColumnsItem(const Input& input, const Deal& deal, Size item, Size tile_width,
                             Size parts)
      : tile(item) {
    if (input.kept > 1) {
      outer = quotient_of(item, deal.tiles * parts);
      tile = item - outer * deal.tiles * parts;
    }
    if (parts > 1) {
      const Size rest = tile;
      tile = quotient_of(rest, parts);
      part = rest - tile * parts;
    }
    first = tile * tile_width;
    before = outer * input.axis[0].extent + first;
  }
};

template <class T, OpSet ops, bool selects, Walk walk, class M>
struct ColumnAnswers {
  using C = Columns<T, ops, selects, walk, M>;
  using All = typename C::All;
  using Lane = LaneAnswers<T, ops, selects>;

  M m;
  const NestInput<M, T>& input;
  const Scratch<M>& scratch;
  const Results<M, ops>& results;
  const Deal& deal;
  const ColumnsItem& item;
  int64_t step;   // offset of the answers' numbers, from the outer kept axes
  unsigned real;  // number of columns of this tile, which may be narrower at the edge

  // Writes the answer to column q of the tile.
  ONEFOLD_KERNEL void put(const All& one, unsigned q) const {
    if (!m.branch(q < real)) return;
    if (!Lane::put_all(m, one, input, deal.formulas, results, number_of(q))) {
      note_undecided(m, scratch, item.before + q);
    }
  }
  ONEFOLD_KERNEL Size number_of(unsigned q) const {
    return input.answer +
           static_cast<Size>(step + static_cast<int64_t>(item.first + q) * input.axis[0].step);
  }
  // Writes the answers to a lane's neighbouring columns, by one store where that is possible.
  ONEFOLD_KERNEL void put_neighbours(const All (&total)[C::W], unsigned q) const {
    if (!m.branch(q < real)) return;
    if (input.axis[0].step == 1 && !(C::W > 1 && real - q < unsigned{C::W}) &&
        kernel::put_neighbours<T, ops, selects>(m, total, deal.formulas, results, input.elements,
                                                number_of(q))) {
      return;
    }
    for_each_answer<false, C::W>(total, C::W, [&](const All& one, unsigned s) { put(one, q + s); });
  }
};

// Folds a tile of columns, or a part of its rows.
//   number   of the tile and part, counted over the whole launch
template <class T, OpSet ops, bool selects, Walk walk, class M>
ONEFOLD_KERNEL void fold_tile_of_columns(const Columns<T, ops, selects, walk, M>& columns,
                                         const Scratch<M>& scratch, const Results<M, ops>& results,
                                         Size number) {
  using C = Columns<T, ops, selects, walk, M>;
  using All = typename C::All;
  constexpr unsigned group_size = 32;
  const M m = columns.m;
  const ColumnMeeting<C> meeting{columns};
  const NestInput<M, T>& input = columns.input;
  const Deal& deal = columns.deal;
  const Size across = input.axis[0].extent;
  const ColumnsItem item(input, deal, number, columns.tile_width, C::even ? 1 : deal.parts);
  if (item.before >= deal.answers) return;
  const Size first_row = item.part * deal.part, rest = deal.rows - first_row;
  const auto begin = C::even ? 0 : static_cast<uint32_t>(first_row),
             end = static_cast<uint32_t>(C::even || rest < deal.part ? deal.rows
                                                                     : first_row + deal.part);
  const Spot at = spot_of<All::pairs, selects>(input, 1, input.kept - 1, item.outer);
  // Made only after `take`: before it, the loop of the loads would have one register less.
  const auto answers = [&]() -> ColumnAnswers<T, ops, selects, walk, M> {
    const Size left = across - item.first;
    return {m,       input,
            scratch, results,
            deal,    item,
            at.step, static_cast<unsigned>(left < columns.tile_width ? left : columns.tile_width)};
  };
  {
    All total[C::W];
    columns.take(total, at, item.tile, begin, end);
    if (C::by_warp || (C::even && deal.team == 32)) {
      meeting.meet(total);
      if (columns.ty == 0) answers().put_neighbours(total, columns.tx * C::W);
      return;
    }
    if constexpr (!C::by_warp) meeting.lay_down(total);
  }
  if constexpr (C::by_warp) return;
  const auto put_to = answers();
  const unsigned real = put_to.real, slots = meeting.slots_of(real);
  // First merges the team's threads; then, if rows are divided, parts, and then groups of parts.
  const Size whole_tile = item.outer * deal.tiles + item.tile;
  auto ticket = whole_tile * deal.parts;
  auto left = scratch.left + whole_tile * 2 * deal.parts * C::words * columns.tile_width;
  unsigned n = columns.rows << columns.copy_bits, entries = C::even ? 1 : deal.parts;
  auto place = static_cast<unsigned>(item.part);
  bool in_memory = false;
  auto from = left;
  ONEFOLD_NO_UNROLL
  for (;;) {
    ONEFOLD_NO_UNROLL
    for (unsigned s = 0; s < slots; ++s) {
      const All one = meeting.gather(real, n, s, [&](unsigned i, unsigned q) {
        return in_memory ? All::load(from + (Size{i} * C::words * columns.tile_width + q),
                                     columns.tile_width)
                         : meeting.laid_down(i, q);
      });
      const unsigned q = meeting.column_of(columns.team, columns.t, s);
      if (entries == 1) {
        put_to.put(one, q);
      } else if (m.branch(q < real)) {
        one.store(left + (Size{place} * C::words * columns.tile_width + q), columns.tile_width);
      }
    }
    if (entries == 1) break;
    const unsigned group = place / group_size, groups = (entries + group_size - 1) / group_size,
                   others = entries - group * group_size;
    n = others < group_size ? others : group_size;
    if (!is_last_part(m, scratch, ticket + group, n)) break;
    in_memory = true;
    from = left + Size{group} * group_size * C::words * columns.tile_width;
    left = left + Size{entries} * C::words * columns.tile_width;
    ticket += groups;
    entries = groups;
    place = group;
  }
}

template <class T, OpSet ops, bool selects, Walk walk, class M>
ONEFOLD_KERNEL void fold_columns(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                 const Results<M, ops>& results, const Deal& deal) {
  using C = Columns<T, ops, selects, walk, M>;
  const C columns(m, input, deal);
  const Size warp = Size{m.block()} * block_warps + static_cast<unsigned>(m.thread()) / 32,
             team = deal.team == 32 ? warp : Size{m.block()};
  if constexpr (C::by_warp) {
    ONEFOLD_NO_UNROLL
    for (unsigned b = 0; b < deal.batch; ++b) {
      fold_tile_of_columns(columns, scratch, results, team * deal.batch + b);
    }
  } else {
    fold_tile_of_columns(columns, scratch, results, team);
  }
}

}  // namespace onefold::kernel
