// A group of lanes that folds rows: each lane gathers elements of several rows at once, then the
// lanes' totals are merged.
#pragma once

#include "onefold/cuda/kernel/quick/totals.hpp"
#include "onefold/cuda/kernel/row_places.hpp"

namespace onefold::kernel {

template <class T, OpSet ops, bool selects, int bits, class M>
struct Rows {
  static constexpr bool even = bits < any_bits, by_part = bits == long_bits;
  using All = LaneTotals<T, ops, selects>;
  static constexpr bool masked_pairs = selects && All::pairs;
  enum : int {
    rows = by_part ? 1 : rows_of_lane(All::words, masked_pairs),
    // Loads of a row that a lane has in flight.
    deep =
        (bits == any_bits && !All::pairs && rows > 1 ? 2 : 1) * loads_of_lane(masked_pairs) / rows,
    V = Vector16<T>::size,
    in_word = sizeof(T) < 4 ? 4 / sizeof(T) : 1
  };
  // Whether the loop over loads has a second body without tests, for turns whose loads all exist.
  static constexpr bool whole_turns = even ? deep == 1 : by_part || All::pairs;
  static constexpr bool in_words = All::plain && sizeof(T) == 2 && !All::asks_each;
  struct Elements {
    T v[in_word];
  };
  using Held = typename detail::Bits<in_word * sizeof(T)>::type;
  using Load = Vector16<Held>;
  using Unit = BesideUnit<T, V, selects, All::pairs>;
  using One = BesideUnit<T, 1, selects, All::pairs>;
  using Context = typename All::Context;
  using Batches = typename All::Batch[rows];
  using Place = RowPlaces<T, rows, All::pairs, selects, M>;
  using Way = WayOfRows<even, V, deep, All::pairs>;

  // The mask and second array for load k of row p.
  //   bytes   the mask is read byte by byte
  template <bool bytes>
  ONEFOLD_KERNEL static Unit beside(M m, const NestInput<M, T>& input, const Place& at, int p,
                                    uint32_t k) {
    Unit u;
    if constexpr (selects) {
      if (!input.chosen.masked) {
        u.mask = MaskUnit<V, true>::all();
      } else if constexpr (!bytes) {
        u.mask = MaskUnit<V, true>::load(m, at.mask[p] + k * V);
      } else {
        const int64_t apart = input.axis[input.kept].stride[2];
        const auto from = at.mask[p] + int64_t{k} * V * apart;
        ONEFOLD_UNROLL
        for (int e = 0; e < V; ++e) {
          const uint8_t one = from[e * apart];
          u.mask.put(e, one);
        }
      }
    }
    if constexpr (All::pairs) {
      using Loaded = typename SecondUnit<T, V, true>::Loaded;
      u.second.y = bit_cast<Loaded>(m.stream(m.by_vector(at.y[p]), k));
    }
    return u;
  }
  ONEFOLD_KERNEL static void add(M m, All& total, Context& range, typename All::Batch& batch,
                                 const Load& load, Unit there, uint32_t j, bool omits) {
    const auto element = [](const Load& x, int e) -> T {
      return bit_cast<Elements>(x.v[e / in_word]).v[e % in_word];
    };
    const Load x = total.select(there, load, omits);
    if constexpr (All::packed) {
      total.add_packed(x);
    } else if constexpr (All::digits) {
      total.digit_sum.add(range, LoadedElements<T>(m, bit_cast<Vector16<uint32_t>>(x)));
    } else {
      const auto add_all = [&](auto& seen) {
        ONEFOLD_UNROLL
        for (int e = 0; e < V; ++e) {
          total.template add<even>(seen, batch, there.with(element(x, e), e),
                                   j + static_cast<uint32_t>(e), there.takes(e));
        }
      };
      if constexpr (in_words) {  // halves are checked two at a time, as one word of 32 bits
        ONEFOLD_UNROLL
        for (int w = 0; w < 4; ++w) range.add_word(m, x.v[w]);
        KnownRange seen;
        add_all(seen);
      } else {
        add_all(range);
      }
    }
  }
  // Adds `deep` loads of each row from load v on. A row's first element is element j of its answer.
  //   full   all of these loads exist, so there are no tests
  template <bool full, bool bytes>
  ONEFOLD_KERNEL static void take_some(M m, All (&total)[rows], Context& range, Batches& batch,
                                       const NestInput<M, T>& input, const Place& at,
                                       const Way& way, uint32_t v, uint32_t (&j)[rows]) {
    const bool omits = selects && input.chosen.omit;
    Load x[rows][deep];
    Unit there[rows][deep];
    ONEFOLD_UNROLL
    for (uint32_t u = 0; u < deep; ++u) {
      ONEFOLD_UNROLL
      for (uint32_t p = 0; p < rows; ++p) {
        if (!full && !is_there(m, way, v, u)) continue;
        const uint32_t k = v + u * way.step;
        x[p][u] = m.stream(m.template as<Load>(at.x[p]), k);
        there[p][u] = beside<bytes>(m, input, at, static_cast<int>(p), k);
      }
    }
    if constexpr (even && All::digits) {
      static_assert(deep == 1);
      LoadedElements<T> chunk[rows];
      ONEFOLD_UNROLL
      for (int p = 0; p < rows; ++p) chunk[p] = {m, bit_cast<Vector16<uint32_t>>(x[p][0])};
      if (v == way.first) begin(m, total, range, chunk);
      add_chunks(m, total, range, chunk);
      return;
    }
    ONEFOLD_UNROLL
    for (uint32_t u = 0; u < deep; ++u) {
      ONEFOLD_UNROLL
      for (uint32_t p = 0; p < rows; ++p) {
        if (!full && !is_there(m, way, v, u)) continue;
        const uint32_t k = v + u * way.step;
        add(m, total[p], range, batch[p], x[p][u], there[p][u], j[p] + k * V, omits);
      }
    }
    if constexpr (!even) {  // a batch is only `deep` loads here, and is added by TwoSum
      ONEFOLD_UNROLL
      for (int p = 0; p < rows; ++p) {
        total[p].add(batch[p]);
        batch[p] = {};
      }
    }
  }
  // Gives all lanes of a row the same anchor, the largest that the first load of a lane needs. Then
  // `meet` can add their sums as they are.
  ONEFOLD_KERNEL static void begin(M m, All (&total)[rows], const Context& range,
                                   const LoadedElements<T> (&chunk)[rows]) {
    ONEFOLD_UNROLL
    for (int p = 0; p < rows; ++p) {
      uint32_t top = chunk[p].top;
      ONEFOLD_UNROLL
      for (unsigned d = 1u << bits >> 1; d > 0; d /= 2) {
        const uint32_t other = m.shuffle_xor(top, d);
        top = other > top ? other : top;
      }
      total[p].digit_sum.begin(range, top);
    }
  }
  // Returns whether load u of this turn exists. Rows of whole loads have at least one each turn.
  ONEFOLD_KERNEL static bool is_there(M m, const Way& way, uint32_t v, uint32_t u) {
    return (even && u == 0) || m.branch(v + u * way.step < way.loads);
  }
  // Adds the elements at a row's begin and end that belong to no aligned load of 16 bytes.
  ONEFOLD_KERNEL static void take_singles(M m, All (&total)[rows], Context& range,
                                          const NestInput<M, T>& input, const Place& at,
                                          const Way& way, const uint32_t (&head)[rows],
                                          uint32_t j) {
    const NestAxis& inner = input.axis[input.kept];
    ONEFOLD_NO_UNROLL
    for (uint32_t e = way.first_single(); e < way.singles; e += way.parts * way.step) {
      T x[rows] = {};
      One there[rows];
      uint32_t number[rows];
      ONEFOLD_UNROLL
      for (uint32_t p = 0; p < rows; ++p) {
        const int64_t i = int64_t{e} + (e < head[p] ? 0 : int64_t{way.loads} * V);
        number[p] = static_cast<uint32_t>(i);
        const T one = at.x[p][i * inner.stride[0]];
        x[p] = one;
        if constexpr (selects) {
          uint8_t taken = 1;
          if (input.chosen.masked) taken = at.mask[p][i * inner.stride[2]];
          there[p].mask.put(0, taken);
        }
        if constexpr (All::pairs) {
          const T other = at.y[p][i * inner.stride[1]];
          there[p].second.y.v[0] = other;
        }
      }
      ONEFOLD_UNROLL
      for (uint32_t p = 0; p < rows; ++p) {
        typename All::Batch batch;
        x[p] = total[p].select(there[p], x[p], selects && input.chosen.omit);
        const auto add_to = [&](auto& seen) {
          total[p].add(seen, batch, there[p].with(x[p], 0), j + number[p], there[p].takes(0));
        };
        if constexpr (in_words) {
          range.add_word(m, x[p].bits * 0x10001u);
          KnownRange seen;
          add_to(seen);
        } else {
          add_to(range);
        }
        total[p].add(batch);
      }
    }
  }
  // Adds one run of each row, whose first element is element j of its answer.
  ONEFOLD_KERNEL static void take_runs(M m, All (&total)[rows], Context& range, Batches& batch,
                                       const NestInput<M, T>& input, Place at, const Way& way,
                                       uint32_t j) {
    uint32_t number[rows];
    ONEFOLD_UNROLL
    for (int p = 0; p < rows; ++p) number[p] = j;
    if constexpr (!even) {
      const auto& apart = input.axis[input.kept].stride;
      uint32_t head[rows];
      ONEFOLD_UNROLL
      for (int p = 0; p < rows; ++p) {
        const unsigned past = way.loads == 0 ? 0 : m.misaligned(at.x[p], 16);
        head[p] = (0 - past) % 16 / static_cast<uint32_t>(sizeof(T));
      }
      take_singles(m, total, range, input, at, way, head, j);
      ONEFOLD_UNROLL
      for (uint32_t p = 0; p < rows; ++p) {
        number[p] += head[p];
        const auto n = static_cast<int64_t>(head[p]);
        at.move(static_cast<int>(p), {.x = n, .y = n, .mask = n * apart[2]});
      }
    }
    if constexpr (!even && selects) {
      bool words = true;
      if (input.chosen.masked) {
        ONEFOLD_UNROLL
        for (int p = 0; p < rows; ++p) words = words && m.misaligned(at.mask[p], V) == 0;
        words = words && input.axis[input.kept].stride[2] == 1;
      }
      if (!m.branch(words)) {
        take_loads<true>(m, total, range, batch, input, at, way, number);
        return;
      }
    }
    take_loads<false>(m, total, range, batch, input, at, way, number);
  }
  template <bool bytes>
  ONEFOLD_KERNEL static void take_loads(M m, All (&total)[rows], Context& range, Batches& batch,
                                        const NestInput<M, T>& input, const Place& at,
                                        const Way& way, uint32_t (&j)[rows]) {
    uint32_t v = way.first;
    if constexpr (whole_turns) {
      const uint32_t reach = (deep - 1) * way.step;
      ONEFOLD_NO_UNROLL
      for (; v + reach < way.loads; v += way.turn) {
        take_some<true, bytes>(m, total, range, batch, input, at, way, v, j);
      }
    }
    if constexpr (!even || deep > 1) {
      ONEFOLD_NO_UNROLL
      for (; v < way.loads; v += way.turn) {
        take_some<false, bytes>(m, total, range, batch, input, at, way, v, j);
      }
    }
  }
  // Ends all sums of the lane, and bounds their errors, when all runs have been added.
  ONEFOLD_KERNEL static void close(All (&total)[rows], const Context& range, const Batches& batch,
                                   const Deal& deal, unsigned lanes) {
    const uint32_t each = even ? (deal.loads + lanes - 1) / lanes * V : deep * V;
    ONEFOLD_UNROLL
    for (int p = 0; p < rows; ++p) {
      if constexpr (even) total[p].take(batch[p]);
      total[p].lose(range, each, even ? each : deal.formulas.depth);
    }
  }

  // Merges the lanes of an answer. In each step half of the lanes exchange rows with the other
  // half, and keep half of the rows; when each lane has one row left, lanes add it up by shuffles.
  ONEFOLD_KERNEL static void meet(M m, All (&total)[rows], unsigned sub, const LanesOfRows& by) {
    unsigned d = by.lanes / 2;
    ONEFOLD_UNROLL
    for (int half = rows / 2; half > 0; half /= 2) {
      if (d == 0) continue;
      const bool upper = (sub & d) != 0;
      ONEFOLD_UNROLL
      for (int p = 0; p < half; ++p) {
        All keep = All::choose(upper, total[p + half], total[p]);
        const All give = All::choose(upper, total[p], total[p + half]);
        keep.add(give.across(m, d));
        total[p] = keep;
      }
      d /= 2;
    }
    if constexpr (even) {
      ONEFOLD_UNROLL
      for (; d > 0; d /= 2) total[0].add(total[0].across(m, d));
    } else {
      ONEFOLD_NO_UNROLL
      for (; d > 0; d /= 2) total[0].add(total[0].across(m, d));
    }
  }
};

}  // namespace onefold::kernel
