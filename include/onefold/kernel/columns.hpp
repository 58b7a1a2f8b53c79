// Folds columns: neighbours belong to neighbouring answers, and a lane holds up to four of them.
//
//   team     a warp or a block: `lanes` neighbouring threads take a tile of columns, the other
//            threads take other rows of it; their totals are merged in shared memory
//   copies   if there are few columns, this many consecutive rows are treated as one row
//   parts    a part of an answer is a range of rows; parts are merged in memory, in groups of 32,
//            and then the groups
#pragma once

#include "onefold/kernel/column_team.hpp"
#include "onefold/kernel/end/parts.hpp"
#include "onefold/kernel/quick/answers.hpp"

namespace onefold::kernel {

// The tile of a team, and the answers before it.
struct ColumnsItem {
  Size outer = 0, tile, part = 0, first, before;
  template <class Input>
  ONEFOLD_KERNEL ColumnsItem(const Input& input, const Deal& deal, Size item, Size tile_width)
      : tile(item) {
    if (input.kept > 1) {
      outer = quotient_of(item, deal.tiles * deal.parts);
      tile = item - outer * deal.tiles * deal.parts;
    }
    if (deal.parts > 1) {
      const Size rest = tile;
      tile = quotient_of(rest, deal.parts);
      part = rest - tile * deal.parts;
    }
    first = tile * tile_width;
    before = outer * input.axis[0].extent + first;
  }
};

template <class T, uint32_t ops, bool selects, class M>
ONEFOLD_KERNEL void fold_columns(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                 const Results<M, ops>& results, const Deal& deal) {
  using C = Columns<T, ops, selects, M>;
  using All = typename C::All;
  constexpr unsigned group_size = 32;
  const C columns(m, input, deal);
  const Size across = input.axis[0].extent;
  const Size warp = Size{m.block()} * block_warps + static_cast<unsigned>(m.thread()) / 32;
  const ColumnsItem item(input, deal, deal.team == 32 ? warp : Size{m.block()}, columns.tile_width);
  if (item.before < deal.answers) {
    const Size first_row = item.part * deal.part, rest = deal.rows - first_row;
    const auto begin = static_cast<uint32_t>(first_row),
               end = static_cast<uint32_t>(rest < deal.part ? deal.rows : first_row + deal.part);
    const Spot at = spot_of<All::pairs, selects>(input, 1, input.kept - 1, item.outer);
    {
      All total[C::W];
      columns.take(total, at, item.tile, begin, end);
      columns.lay_down(total);
    }
    const auto real = static_cast<unsigned>(
        across - item.first < columns.tile_width ? across - item.first : columns.tile_width);
    const unsigned slots = columns.slots_of(real);
    // Entries meet: of threads, then of parts, then of groups of those.
    const Size whole_tile = item.outer * deal.tiles + item.tile;
    auto ticket = whole_tile * deal.parts;
    auto left = scratch.left + whole_tile * 2 * deal.parts * C::words * columns.tile_width;
    unsigned n = columns.rows << deal.copy_bits, entries = deal.parts;
    auto place = static_cast<unsigned>(item.part);
    bool in_memory = false;
    auto from = left;
    ONEFOLD_NO_UNROLL
    for (;;) {
      ONEFOLD_NO_UNROLL
      for (unsigned s = 0; s < slots; ++s) {
        const All one = columns.gather(real, n, s, [&](unsigned i, unsigned q) {
          return in_memory ? All::load(from + (Size{i} * C::words * columns.tile_width + q),
                                       columns.tile_width)
                           : columns.laid_down(i, q);
        });
        const unsigned q = C::column_of(columns.team, columns.t, s);
        if (!m.branch(q < real)) continue;
        if (entries == 1) {
          const Size number =
              input.answer + static_cast<Size>(at.step + static_cast<int64_t>(item.first + q) *
                                                             input.axis[0].step);
          const bool sure =
              LaneAnswers<T, ops, selects>::put_all(m, one, input, deal.formulas, results, number);
          if (!sure) note_undecided(m, scratch, item.before + q);
        } else {
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
}

}  // namespace onefold::kernel
