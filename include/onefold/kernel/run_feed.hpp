// How lanes go along runs: several of them at once, so that loads are on their way while others are
// added, or several places of one; and how what they gathered meets.
#pragma once

#include "onefold/kernel/quick/totals.hpp"
#include "onefold/kernel/schedule/beside.hpp"
#include "onefold/kernel/schedule/deal.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops, bool selects, class M>
struct RowFeed {
  using All = Totals<T, ops, selects>;
  using Beside = RunsBeside<T, M, streams_of_lane(All::words), selects, All::pairs>;
  enum : int { V = Vector16<T>::size };
  static constexpr int streams = streams_of_lane(All::words),
                       // Vectors of each on their way, and as many of a second array.
      ahead = (sizeof(T) >= 4 || All::packed) && !All::pairs ? 2 : 1;

  // What is loaded stays in words until it is added: bytes would have a register each.
  enum : int { each = sizeof(T) == 1 || All::packed ? 4 / sizeof(T) : 1 };
  struct Elements {
    T v[each];
  };
  using Held = typename detail::Bits<each * sizeof(T)>::type;
  // Elements of a run before the first multiple of 16 bytes.
  ONEFOLD_KERNEL static uint32_t head_of(M m, In<M, T> run, bool wide) {
    return wide ? 0 : (0 - m.misaligned(run, 16)) % 16 / static_cast<uint32_t>(sizeof(T));
  }

  // How a lane goes along runs of n elements: from `first` on by `step`, and stream p is `shift` p
  // behind the first.
  struct Way {
    uint32_t vectors, single;  // of a run: as many wherever it begins; elements in none
    uint32_t first, step, shift;
    bool wide;
    ONEFOLD_KERNEL Way(const Deal& deal, uint32_t n, uint32_t sub) : first(sub), wide(deal.wide) {
      const uint32_t lanes = 1u << deal.lane_bits;
      step = deal.split ? lanes * streams : lanes;
      shift = deal.split ? lanes : 0;
      vectors = deal.apart != 1 || (All::pairs && !deal.wide_second) ? 0
                : wide                                               ? n / V
                : n + 1 < V                                          ? 0
                                                                     : (n + 1) / V - 1;
      single = n - vectors * V;
    }
  };
  // Adds runs; the first element of each is number j of its answer.
  ONEFOLD_KERNEL static void take(M m, All (&total)[streams], typename All::Seen& range,
                                  const In<M, T> (&run)[streams], const Beside& beside,
                                  const Way& way, int64_t apart, uint32_t j) {
    if (way.vectors != 0) {
      In<M, T> from[streams];
      ONEFOLD_UNROLL
      for (int p = 0; p < streams; ++p) from[p] = run[p];
      if (!way.wide) {
        ONEFOLD_UNROLL
        for (int p = 0; p < streams; ++p) from[p] = run[p] + head_of(m, run[p], false);
      }
      //   full   all of them are there: nobody asks, and sums of several streams go side by side
      const auto add_from = [&]<bool full>(uint32_t v) {
        Vector16<Held> x[ahead][streams];
        typename Beside::Unit there[ahead][streams];
        ONEFOLD_UNROLL
        for (int u = 0; u < ahead; ++u) {
          ONEFOLD_UNROLL
          for (int p = 0; p < streams; ++p) {
            const uint32_t k = v + u * way.step + p * way.shift;
            if (full || m.branch(k < way.vectors)) {
              x[u][p] = m.stream(m.template as<Vector16<Held>>(from[p]), k);
              there[u][p] = beside.unit(m, p, head_of(m, run[p], way.wide) + k * V);
            }
          }
        }
        ONEFOLD_UNROLL
        for (int u = 0; u < ahead; ++u) {
          ONEFOLD_UNROLL
          for (int p = 0; p < streams; ++p) {
            const uint32_t k = v + u * way.step + p * way.shift;
            if (!full && !m.branch(k < way.vectors)) continue;
            uint32_t at = j + k * V;
            if (All::asked.index && !way.wide) at += head_of(m, run[p], false);
            if constexpr (All::packed) {
              total[p].add_packed(x[u][p]);
              continue;
            }
            typename All::Batch batch;
            ONEFOLD_UNROLL
            for (int e = 0; e < V; ++e) {
              const T one = bit_cast<Elements>(x[u][p].v[e / each]).v[e % each];
              total[p].add(range, batch, there[u][p].with(one, e), at + static_cast<uint32_t>(e),
                           there[u][p].takes(e), beside.omits());
            }
            total[p].add(batch);
          }
        }
      };
      uint32_t v = way.first;
      if constexpr (All::pairs) {
        const uint32_t reach = (ahead - 1) * way.step + (streams - 1) * way.shift;
        ONEFOLD_NO_UNROLL
        for (; v + reach < way.vectors; v += ahead * way.step)
          add_from.template operator()<true>(v);
      }
      ONEFOLD_NO_UNROLL
      for (; v < way.vectors; v += ahead * way.step) add_from.template operator()<false>(v);
    }
    ONEFOLD_NO_UNROLL
    for (uint32_t e = way.first; e < way.single; e += way.step) {
      T x[streams] = {};
      typename Beside::One there[streams];
      uint32_t at[streams];
      ONEFOLD_UNROLL
      for (int p = 0; p < streams; ++p) {
        const uint32_t k = e + p * way.shift,
                       head = way.vectors == 0 ? 0 : head_of(m, run[p], way.wide);
        at[p] = k < head ? k : k + way.vectors * V;
        if (m.branch(k < way.single)) {
          const T one = run[p][static_cast<int64_t>(at[p]) * apart];
          x[p] = one;
          there[p] = beside.one(p, at[p]);
        }
      }
      ONEFOLD_UNROLL
      for (int p = 0; p < streams; ++p) {
        if (m.branch(e + p * way.shift < way.single)) {
          typename All::Batch batch;
          total[p].add(range, batch, there[p].with(x[p], 0), j + at[p], there[p].takes(0),
                       beside.omits());
          total[p].add(batch);
        }
      }
    }
  }

  // Streams of a group's lanes meet: halves hand each other the streams that they do not keep
  // (RowDeal::place).
  ONEFOLD_KERNEL static void meet(M m, All (&total)[streams], unsigned sub, unsigned lanes,
                                  bool split) {
    unsigned d = lanes / 2;
    if (split) {
      ONEFOLD_UNROLL
      for (int p = 1; p < streams; ++p) total[0].add(total[p]);
    } else {
      ONEFOLD_UNROLL
      for (int half = streams / 2; half > 0; half /= 2) {
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
    }
    ONEFOLD_NO_UNROLL
    for (; d > 0; d /= 2) total[0].add(total[0].across(m, d));
  }
};

}  // namespace onefold::kernel
