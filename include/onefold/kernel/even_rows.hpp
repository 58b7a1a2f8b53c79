// Folds even rows: runs of whole loads of 16 bytes, each of which begins at a multiple of that.
//
//   lanes   2^bits hold a row, which is known when the kernel is compiled: what they do after the
//           loads has no loops
//   rows    of a lane several at once, so that their loads are under way together
//   tile    the rows that a warp has at once; of small tiles it has several, one after another
#pragma once

#include "onefold/kernel/end/parts.hpp"
#include "onefold/kernel/quick/answers.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops, bool selects, int bits, class M>
struct EvenRows {
  using All = Totals<T, ops, selects>;
  enum : int {
    lanes = 1 << bits,
    groups = 32 / lanes,
    rows = rows_of_lane(All::words),
    deep = loads_of_lane / rows,             // of a row, under way
    each = rows > lanes ? rows / lanes : 1,  // answers of a lane
    V = Vector16<T>::size,
    in_word = sizeof(T) < 4 ? 4 / sizeof(T) : 1
  };
  static constexpr bool in_words = All::plain && sizeof(T) == 2 && !selects;
  struct Elements {
    T v[in_word];
  };
  using Held = typename detail::Bits<in_word * sizeof(T)>::type;
  using Load = Vector16<Held>;
  using Unit = BesideUnit<T, V, selects, All::pairs>;
  static constexpr unsigned tile = groups * rows;

  // Where the rows of a lane begin.
  struct Place {
    In<M, Load> x[rows];
    In<M, T> y[All::pairs ? rows : 1];
    In<M, uint8_t> mask[selects ? rows : 1];
  };

  ONEFOLD_KERNEL static Unit beside(M m, const NestInput<M, T>& input, const Place& at, int p,
                                    uint32_t k) {
    Unit u;
    if constexpr (selects) {
      u.mask = input.chosen.masked ? MaskUnit<V, true>::load(m, at.mask[p] + k * V)
                                   : MaskUnit<V, true>::all();
    }
    if constexpr (All::pairs) {
      using Loaded = typename SecondUnit<T, V, true>::Loaded;
      u.second.y = bit_cast<Loaded>(m.stream(m.by_vector(at.y[p]), k));
    }
    return u;
  }
  ONEFOLD_KERNEL static void add(M m, All& total, typename All::Seen& range,
                                 typename All::Batch& batch, const Load& x, const Unit& there,
                                 uint32_t j, bool omits) {
    if constexpr (All::packed) {
      total.add_packed(x);
    } else {
      const auto add_all = [&](auto& seen) {
        ONEFOLD_UNROLL
        for (int e = 0; e < V; ++e) {
          const T one = bit_cast<Elements>(x.v[e / in_word]).v[e % in_word];
          total.add(seen, batch, there.with(one, e), j + static_cast<uint32_t>(e), there.takes(e),
                    omits);
        }
      };
      if constexpr (in_words) {  // halves are looked at two at a time, where no mask changes them
        ONEFOLD_UNROLL
        for (int w = 0; w < 4; ++w) range.add_word(m, x.v[w]);
        SeenBefore seen;
        add_all(seen);
      } else {
        add_all(range);
      }
    }
  }
  ONEFOLD_KERNEL static void take(M m, All (&total)[rows], const NestInput<M, T>& input,
                                  const Place& at, const Deal& deal, uint32_t sub) {
    const uint32_t loads = deal.loads;
    const bool omits = selects && input.chosen.omit;
    typename All::Seen range;
    typename All::Batch batch[rows];
    ONEFOLD_NO_UNROLL
    for (uint32_t v = sub; v < loads; v += deep * lanes) {
      Load x[rows][deep];
      Unit there[rows][deep];
      ONEFOLD_UNROLL
      for (int u = 0; u < deep; ++u) {
        const uint32_t k = v + static_cast<uint32_t>(u * lanes);
        if (u != 0 && !m.branch(k < loads)) continue;
        ONEFOLD_UNROLL
        for (int p = 0; p < rows; ++p) {
          x[p][u] = m.stream(at.x[p], k);
          there[p][u] = beside(m, input, at, p, k);
        }
      }
      ONEFOLD_UNROLL
      for (int u = 0; u < deep; ++u) {
        const uint32_t k = v + static_cast<uint32_t>(u * lanes);
        if (u != 0 && !m.branch(k < loads)) continue;
        ONEFOLD_UNROLL
        for (int p = 0; p < rows; ++p) {
          add(m, total[p], range, batch[p], x[p][u], there[p][u], k * V, omits);
        }
      }
    }
    const uint32_t each = (loads + lanes - 1) / lanes * V;
    ONEFOLD_UNROLL
    for (int p = 0; p < rows; ++p) {
      total[p].take(batch[p]);
      total[p].lose(range, each, each);
    }
  }

  // Halves of the lanes of a row hand each other the rows that they do not keep; where each has
  // one, it is added up.
  ONEFOLD_KERNEL static void meet(M m, All (&total)[rows], unsigned sub) {
    int have = rows;
    ONEFOLD_UNROLL
    for (int d = lanes / 2; d > 0; d /= 2) {
      if (have == 1) {
        total[0].add(total[0].across(m, static_cast<unsigned>(d)));
        continue;
      }
      have /= 2;
      const bool upper = (sub & static_cast<unsigned>(d)) != 0;
      ONEFOLD_UNROLL
      for (int p = 0; p < have; ++p) {
        All keep = All::choose(upper, total[p + have], total[p]);
        const All give = All::choose(upper, total[p], total[p + have]);
        keep.add(give.across(m, static_cast<unsigned>(d)));
        total[p] = keep;
      }
    }
  }
  // The row of a lane's answer s, of the tile; behind it: none.
  ONEFOLD_KERNEL static unsigned row_of(unsigned lane, unsigned s) {
    const unsigned sub = lane % lanes, group = lane / lanes;
    if constexpr (lanes <= rows) return (sub * each + s) * groups + group;
    constexpr unsigned share = lanes > rows ? lanes / rows : 1;
    return sub % share == 0 ? sub / share * groups + group : tile;
  }
};

// The rows of a tile.
template <class T, uint32_t ops, bool selects, int bits, class M>
ONEFOLD_KERNEL void fold_even_tile(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                   const Results<M, ops>& results, const Deal& deal, Size first,
                                   unsigned here) {
  using E = EvenRows<T, ops, selects, bits, M>;
  using All = typename E::All;
  const unsigned lane = static_cast<unsigned>(m.lane()), sub = lane % E::lanes;
  const NestAxis& rows = input.axis[0];
  const auto tile = static_cast<int64_t>(first);
  const auto x = input.x + tile * rows.stride[0];
  typename E::Place at;
  ONEFOLD_UNROLL
  for (int p = 0; p < E::rows; ++p) {
    // Behind the last row that one once more, which nobody asks for.
    const unsigned row = static_cast<unsigned>(p * E::groups) + lane / E::lanes;
    const auto i = static_cast<int64_t>(row < here ? row : here - 1);
    at.x[p] = m.template as<typename E::Load>(x + i * rows.stride[0]);
    if constexpr (All::pairs) at.y[p] = input.y + (tile + i) * rows.stride[1];
    if constexpr (selects) at.mask[p] = input.mask + (tile + i) * rows.stride[2];
  }
  All total[E::rows];
  E::take(m, total, input, at, deal, sub);
  E::meet(m, total, sub);
  const Size answer = input.answer + static_cast<Size>(tile * rows.step);
  const auto put = [&](const All& one, unsigned s) {
    const unsigned row = E::row_of(lane, s);
    if (!m.branch(row < here)) return;
    const auto step = static_cast<int64_t>(row) * rows.step;
    const bool sure = LaneAnswers<T, ops, selects>::put_all(m, one, input, deal.formulas, results,
                                                            answer + static_cast<Size>(step));
    if (!sure) note_undecided(m, scratch, first + row);
  };
  for_each_answer<ops, E::each>(total, put);
}

template <class T, uint32_t ops, bool selects, int bits, class M>
ONEFOLD_KERNEL void fold_even_rows(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                   const Results<M, ops>& results, const Deal& deal) {
  constexpr Size tile = EvenRows<T, ops, selects, bits, M>::tile;
  const Size warp = Size{m.block()} * block_warps + static_cast<unsigned>(m.thread()) / 32;
  ONEFOLD_NO_UNROLL
  for (unsigned b = 0; b < deal.batch; ++b) {
    const Size first = (warp * deal.batch + b) * tile;
    if (first >= deal.answers) return;
    const Size left = deal.answers - first;
    fold_even_tile<T, ops, selects, bits>(m, input, scratch, results, deal, first,
                                          static_cast<unsigned>(left < tile ? left : tile));
  }
}

}  // namespace onefold::kernel
