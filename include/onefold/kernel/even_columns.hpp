// Folds many columns: there are so many that each warp folds its own columns from the first row to
// the last.
//
//   load   a lane loads a word of 4 bytes, or an element of 8. Neighbouring lanes load neighbours,
//          so the answers of a warp are neighbours, too
//   tile   the columns of a warp: each lane has several loads of a row
#pragma once

#include "onefold/kernel/end/parts.hpp"
#include "onefold/kernel/quick/answers.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops, bool selects, class M>
struct EvenColumns {
  using All = Totals<T, ops, selects>;
  enum : int {
    U = even_columns_of_load(sizeof(T)),
    loads = even_column_loads(sizeof(T), All::words),
    W = U * loads,  // columns of a lane
    deep = 4        // rows at once
  };
  struct alignas(U * sizeof(T)) Load {
    T v[U];
  };
  using Unit = BesideUnit<T, U, selects, All::pairs>;
  static constexpr bool in_words = All::plain && U == 2 && !selects;
  static constexpr unsigned tile = 32 * W;

  In<M, T> x, y;
  In<M, uint8_t> mask;
  unsigned here;          // columns of the lane's tile, from its first load on
  unsigned place[loads];  // of each load; of those behind the last column: that of the first
  // From the lane's first column on; none are there behind the last one.
  ONEFOLD_KERNEL EvenColumns(const NestInput<M, T>& input, const Spot& at, unsigned columns)
      : x(input.x + at.x), y(input.y + at.y), mask(input.mask + at.mask), here(columns) {
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < loads; ++k) place[k] = k * 32 * U < here ? k * 32 * U : 0;
  }

  ONEFOLD_KERNEL Unit beside(M m, const NestInput<M, T>& input, int64_t row, int k) const {
    const auto& stride = input.axis[input.kept].stride;
    Unit u;
    if constexpr (selects) {
      u.mask = input.chosen.masked ? MaskUnit<U, true>::load(m, mask + (row * stride[2] + place[k]))
                                   : MaskUnit<U, true>::all();
    }
    if constexpr (All::pairs) {
      using Loaded = typename SecondUnit<T, U, true>::Loaded;
      const Loaded loaded = m.template as<Loaded>(y + (row * stride[1] + place[k]))[0];
      u.second.y = loaded;
    }
    return u;
  }
  ONEFOLD_KERNEL static void add(M m, All (&total)[W], typename All::Seen& range,
                                 typename All::Batch (&batch)[W], int k, const Load& of,
                                 const Unit& there, uint32_t row, bool omits) {
    const auto add_all = [&](auto& seen) {
      ONEFOLD_UNROLL
      for (int e = 0; e < U; ++e) {
        const int j = k * U + e;
        total[j].add(seen, batch[j], there.with(of.v[e], e), row, there.takes(e), omits);
      }
    };
    if constexpr (in_words) {  // both halves at a time, where no mask changes them
      range.add_word(m, bit_cast<uint32_t>(of));
      SeenBefore seen;
      add_all(seen);
    } else {
      add_all(range);
    }
  }
  //   full   all `deep` rows from r on are there
  template <bool full>
  ONEFOLD_KERNEL void take_some(M m, All (&total)[W], typename All::Seen& range,
                                typename All::Batch (&batch)[W], const NestInput<M, T>& input,
                                uint32_t r, uint32_t rows) const {
    const int64_t apart = input.axis[input.kept].stride[0];
    const bool omits = selects && input.chosen.omit;
    Load of[deep][loads];
    Unit there[deep][loads];
    ONEFOLD_UNROLL
    for (uint32_t u = 0; u < deep; ++u) {
      if (!full && r + u >= rows) continue;
      ONEFOLD_UNROLL
      for (int k = 0; k < loads; ++k) {
        const Load loaded = m.template as<Load>(x + (int64_t{r + u} * apart + place[k]))[0];
        of[u][k] = loaded;
        there[u][k] = beside(m, input, r + u, k);
      }
    }
    ONEFOLD_UNROLL
    for (uint32_t u = 0; u < deep; ++u) {
      if (!full && r + u >= rows) continue;
      ONEFOLD_UNROLL
      for (int k = 0; k < loads; ++k) {
        add(m, total, range, batch, k, of[u][k], there[u][k], r + u, omits);
      }
    }
  }
  // All rows, several at once.
  ONEFOLD_KERNEL void take(M m, All (&total)[W], const NestInput<M, T>& input,
                           uint32_t rows) const {
    typename All::Seen range;
    typename All::Batch batch[W];
    uint32_t r = 0;
    ONEFOLD_NO_UNROLL
    for (; r + deep <= rows; r += deep) take_some<true>(m, total, range, batch, input, r, rows);
    if (r < rows) take_some<false>(m, total, range, batch, input, r, rows);
    ONEFOLD_UNROLL
    for (int j = 0; j < W; ++j) {
      total[j].take(batch[j]);
      total[j].lose(range, rows, rows);
    }
  }
};

template <class T, uint32_t ops, bool selects, class M>
ONEFOLD_KERNEL void fold_even_columns(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                      const Results<M, ops>& results, const Deal& deal) {
  using C = EvenColumns<T, ops, selects, M>;
  using All = typename C::All;
  const unsigned t = static_cast<unsigned>(m.thread()), lane = t % 32;
  const Size item = Size{m.block()} * block_warps + t / 32, across = input.axis[0].extent,
             outer = quotient_of(item, deal.tiles), first = (item - outer * deal.tiles) * C::tile;
  if (outer * across >= deal.answers) return;
  const Size begin = first + lane * C::U, left = begin < across ? across - begin : 0;
  const auto here = static_cast<unsigned>(left < C::tile ? left : C::tile);
  Spot at = spot_of<All::pairs, selects>(input, 1, input.kept - 1, outer);
  const auto columns = static_cast<int64_t>(left != 0 ? begin : first);
  at.x += columns;
  at.y += columns;
  at.mask += columns;
  All total[C::W];
  C(input, at, here).take(m, total, input, static_cast<uint32_t>(deal.rows));
  const auto put = [&](const All& one, unsigned s) {
    const unsigned column = s / C::U * 32 * C::U + s % C::U;
    if (!m.branch(column < here)) return;
    const int64_t step = at.step + static_cast<int64_t>(begin + column) * input.axis[0].step;
    const bool sure = LaneAnswers<T, ops, selects>::put_all(m, one, input, deal.formulas, results,
                                                            input.answer + static_cast<Size>(step));
    if (!sure) note_undecided(m, scratch, outer * across + begin + column);
  };
  for_each_answer<ops, C::W>(total, put);
}

}  // namespace onefold::kernel
