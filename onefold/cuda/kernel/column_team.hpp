// A team of threads that folds columns, up to 8 columns each; column_meeting.hpp merges totals.
#pragma once

#include "onefold/cuda/kernel/quick/totals.hpp"
#include "onefold/cuda/kernel/schedule/beside.hpp"
#include "onefold/cuda/kernel/schedule/deal.hpp"

namespace onefold::kernel {

template <class T, OpSet ops, bool selects, Walk walk, class M>
struct Columns {
  using All = LaneTotals<T, ops, selects>;
  static constexpr bool even = walk != Walk::columns, by_warp = walk == Walk::single_columns,
                        two = All::pairs;
  static constexpr int W =
      walk == Walk::single_columns ? 1 : columns_of_lane(sizeof(T), All::words, even);
  // Rows that a thread loads at once; 64 bytes in all, if the kernel has only even columns.
  enum : int { bytes = W * sizeof(T), fit = bytes > 16 ? 4 : 64 / bytes };
  enum : int {
    at_once = !even                         ? (selects || two ? 4 : 8)
              : fit > 8 && (selects || two) ? 8
              : fit > 16                    ? 16
                                            : fit,
    most_threads = 32 * block_warps
  };
  // Padding between the words that a warp stores for one column, so columns use different banks.
  enum : int { pad = W > 1 ? 4 : 0, of_warp = (32 + pad) * W };
  enum : int { capacity = most_threads / 32 * of_warp };
  static constexpr int words = All::words == 0 ? 1 : All::words;
  // Whether a lane's plain sum of a column is added by TwoSum only once, at the end. Even columns
  // are short; and answers of 16 bits need so few digits that the error of one plain sum is small.
  static constexpr bool one_batch = All::plain && (even || sizeof(T) == 2);
  // Halves are checked two at a time, as one word of 32 bits.
  static constexpr bool in_words = All::plain && sizeof(T) == 2 && W > 1 && !All::asks_each;
  // Whether a row that does not exist is replaced by -0, which changes no plain sum.
  static constexpr bool fills =
      All::digits || (W == 1 && All::plain && !selects && All::fill == Fill::zero);
  using Beside = ColumnsBeside<T, M, W, selects, two>;
  struct Halves {
    uint32_t v[W > 1 ? W / 2 : 1];
  };
  struct RowWords {
    typename detail::Bits<(bytes < 4 ? bytes : 4)>::type v[bytes < 4 ? 1 : bytes / 4];
  };
  struct alignas(W * sizeof(T)) Wide {
    T v[W];
  };

  M m;
  const NestInput<M, T>& input;
  const Deal& deal;
  unsigned team, t, tx, ty, rows;  // rows: threads of the team that have the same columns
  unsigned copy_bits;
  Size tile_width;
  Shared<M, int64_t> slots;

  ONEFOLD_KERNEL Columns(M machine, const NestInput<M, T>& in, const Deal& d)
      : m(machine),
        input(in),
        deal(d),
        team(d.team),
        copy_bits(even ? 0 : d.copy_bits),
        slots(shared<int64_t, capacity * words, struct slots_>(machine)) {
    const auto thread = static_cast<unsigned>(m.thread());
    t = team == 32 ? thread % 32 : thread;
    slots = slots + (thread - t) / 32 * of_warp;
    const bool wide = deal.lanes == 32;
    ty = wide ? t / 32 : t / deal.lanes;
    tx = t - ty * deal.lanes;
    rows = wide ? team / 32 : team / deal.lanes;
    tile_width = Size{deal.lanes} * W;
  }

  // Gathers the thread's columns of a tile, for rows begin..end.
  //   at   the first element of the answers, by all kept axes but the fastest
  ONEFOLD_KERNEL void take(All (&total)[W], const Spot& at, Size tile, uint32_t begin,
                           uint32_t end) const {
    if (ty >= rows) return;
    typename All::Context range = All::context_of(input.elements);
    typename All::Batch batch[W];
    const Size column = tile * tile_width;
    if constexpr (even) {
      const Beside beside(input, at, 1, true);
      take_rows(total, range, batch, input.x + at.x, input.axis[input.kept].stride[0], beside,
                column, end, deal.width, 0);
    } else {
      take_runs(total, range, batch, at, column, begin, end);
    }
    const double each = even        ? static_cast<double>(deal.part)
                        : one_batch ? deal.formulas.depth
                                    : double{at_once};
    ONEFOLD_UNROLL
    for (int j = 0; j < W; ++j) {
      if constexpr (one_batch) total[j].take(batch[j]);
      total[j].lose(range, each, even ? each : deal.formulas.depth);
    }
  }
  // Gathers runs of rows with one stride and one width; the last row may be narrower.
  ONEFOLD_KERNEL void take_runs(All (&total)[W], typename All::Context& range,
                                typename All::Batch (&batch)[W], const Spot& at, Size column,
                                uint32_t begin, uint32_t end) const {
    const NestAxis inner = input.axis[input.kept];
    const auto extent = static_cast<uint32_t>(inner.extent);
    const uint32_t copies = uint32_t{1} << deal.copy_bits, whole = extent >> deal.copy_bits,
                   inner_rows = (extent + copies - 1) >> deal.copy_bits;
    const int64_t apart = inner.stride[0] * static_cast<int64_t>(copies);
    const Beside beside(input, at, copies, deal.wide_mask);
    ONEFOLD_NO_UNROLL
    for (uint32_t k = begin; k < end;) {
      uint32_t s = k, before = 0;
      Spot offset;
      if (input.folded > 1) {
        const uint32_t o = k / inner_rows;
        s = k - o * inner_rows;
        offset = spot_of<two, selects>(input, input.kept + 1, input.folded - 1, o);
        before = o * extent;
      }
      const bool full = s < whole;
      const uint32_t left = full ? whole - s : 1, n = end - k < left ? end - k : left;
      const Size width =
          full ? deal.width : Size{extent - (whole << deal.copy_bits)} * input.axis[0].extent;
      take_rows(total, range, batch, input.x + (at.x + offset.x + static_cast<int64_t>(s) * apart),
                apart, beside.of_rows(offset, s), column, n, width, before + (s << deal.copy_bits));
      k += n;
    }
  }
  // Counts the selected elements of each column, and replaces the others by a neutral element.
  template <int some>
  ONEFOLD_KERNEL void choose(All (&total)[W], Wide (&w)[some], typename Beside::Unit (&there)[some],
                             bool omits) const {
    if (All::needed.nan || omits) {
      ONEFOLD_UNROLL
      for (int k = 0; k < some * W; ++k) {
        total[k % W].see_nan(there[k / W], w[k / W].v[k % W], k % W, omits);
      }
    }
    constexpr int words = (W + 3) / 4;
    uint32_t count[words] = {};  // a byte for each column, of at most 16 rows
    ONEFOLD_UNROLL
    for (int k = 0; k < some * words; ++k) {
      count[k % words] += there[k / words].mask.w[k % words] >> 7;
    }
    ONEFOLD_UNROLL
    for (int j = 0; j < W; ++j) total[j].taken.n += count[j / 4] >> j % 4 * 8 & 0xff;
    ONEFOLD_UNROLL
    for (int u = 0; u < some; ++u) w[u] = there[u].template filled<All::fill>(w[u]);
  }
  // Adds rows r, r + rows, .. of the thread's columns; the first `columns` of them exist.
  //   full   all of these rows exist; else only those below n
  template <bool full, int some>
  ONEFOLD_KERNEL void add_rows(All (&total)[W], typename All::Context& range,
                               typename All::Batch (&batches)[W], Wide (&w)[some],
                               typename Beside::Unit (&there)[some], const uint32_t (&j_of)[W],
                               const Beside& beside, uint32_t r, uint32_t n, Size columns) const {
    ONEFOLD_UNROLL
    for (int u = 0; u < some; ++u) there[u].mask.settle();
    if constexpr (selects) choose(total, w, there, beside.omits());
    const auto add_all = [&](auto& seen) {
      ONEFOLD_UNROLL
      for (int j = 0; j < W; ++j) {
        if (!even && !full && W > 1 && !m.branch(static_cast<unsigned>(j) < columns)) continue;
        typename All::Batch batch;
        if constexpr (one_batch) batch = batches[j];
        ONEFOLD_UNROLL
        for (int u = 0; u < some; ++u) {
          const uint32_t row = r + static_cast<unsigned>(u) * rows;
          if (!full && !m.branch(row < n)) continue;
          if constexpr (in_words) {
            if constexpr (!full) range.add_word(m, w[u].v[j].bits * 0x10001u);
          }
          total[j].template add<true>(seen, batch, there[u].with(w[u].v[j], j),
                                      j_of[j] + (row << copy_bits), there[u].takes(j));
        }
        if constexpr (one_batch) {
          batches[j] = batch;
        } else {
          total[j].add(batch);
        }
      }
    };
    if constexpr (All::digits) {
      static_assert(full);
      using Column = ColumnElements<T, W, some>;
      typename Column::Rows words;
      ONEFOLD_UNROLL
      for (int u = 0; u < some; ++u) {
        const auto of = bit_cast<RowWords>(w[u]);
        ONEFOLD_UNROLL
        for (int k = 0; k < Column::in_row; ++k) words[u][k] = of.v[k];
      }
      Column column[W];
      Column::look(m, words, column);
      add_chunks(m, total, range, column);
    } else if constexpr (in_words) {
      ONEFOLD_UNROLL
      for (int u = 0; full && u < some; ++u) {
        const auto of = bit_cast<Halves>(w[u]);
        ONEFOLD_UNROLL
        for (int k = 0; k < W / 2; ++k) range.add_word(m, of.v[k]);
      }
      KnownRange before;
      add_all(before);
    } else {
      add_all(range);
    }
  }
  // Adds n rows of `width` elements, `apart` elements from one row to the next. `number` is the
  // index of the first row's elements in their answers.
  ONEFOLD_KERNEL void take_rows(All (&total)[W], typename All::Context& range,
                                typename All::Batch (&batches)[W], In<M, T> from, int64_t apart,
                                Beside beside, Size at, uint32_t n, Size width,
                                uint32_t number) const {
    const NestAxis across = input.axis[0];
    const Size first = at + Size{tx} * W;
    if (first >= width) return;
    uint32_t j_of[W];
    ONEFOLD_UNROLL
    for (int j = 0; j < W; ++j) {
      j_of[j] = number;
      if (All::needed.index && copy_bits != 0) {
        j_of[j] += static_cast<uint32_t>(first + static_cast<unsigned>(j)) /
                   static_cast<uint32_t>(across.extent);
      }
    }
    const auto add = [&]<bool full, int some>(Wide(&w)[some], typename Beside::Unit(&there)[some],
                                              uint32_t r, Size columns) {
      add_rows<full>(total, range, batches, w, there, j_of, beside, r, n, columns);
    };
    const int64_t step = static_cast<int64_t>(rows) * apart;
    auto p =
        from + (static_cast<int64_t>(first) * across.stride[0] + static_cast<int64_t>(ty) * apart);
    beside.start(first, ty, rows);
    uint32_t r = ty;
    if (even || m.branch(deal.wide && first + W <= width)) {
      const auto load = [&](int u) {
        const Wide w = m.template as<Wide>(p + u * step)[0];
        return w;
      };
      ONEFOLD_NO_UNROLL
      for (; r + (at_once - 1) * rows < n; r += at_once * rows) {
        Wide v[at_once];
        typename Beside::Unit there[at_once];
        ONEFOLD_UNROLL
        for (int u = 0; u < at_once; ++u) {
          v[u] = load(u);
          there[u] = beside.template unit<even>(m, u);
        }
        add.template operator()<true>(v, there, r, W);
        p = p + at_once * step;
        beside.go(at_once);
      }
      if (r < n) {  // the last rows: a test for each
        Wide v[at_once];
        typename Beside::Unit there[at_once];
        ONEFOLD_UNROLL
        for (int u = 0; u < at_once; ++u) {
          if constexpr (fills) fill(v[u]);
          if (m.branch(r + static_cast<unsigned>(u) * rows < n)) {
            v[u] = load(u);
            there[u] = beside.template unit<even>(m, u);
          }
        }
        add.template operator()<fills>(v, there, r, W);
      }
      return;
    }
    if constexpr (!even) take_narrow(p, step, beside, r, n, width - first, add);
  }
  ONEFOLD_KERNEL static void fill(Wide& w) {
    ONEFOLD_UNROLL
    for (int j = 0; j < W; ++j) w.v[j] = bit_cast<T>(bits_of_fill<T>(Fill::zero));
  }
  // Adds rows that cannot be loaded as vectors: a test and a load for each column.
  template <class Add>
  ONEFOLD_KERNEL void take_narrow(In<M, T> p, int64_t step, Beside& beside, uint32_t r, uint32_t n,
                                  Size columns, const Add& add) const {
    ONEFOLD_NO_UNROLL
    for (; r < n; r += 2 * rows) {
      Wide v[2];
      typename Beside::Unit there[2];
      ONEFOLD_UNROLL
      for (int u = 0; u < 2; ++u) {
        if constexpr (All::digits) fill(v[u]);
        if (!m.branch(r + static_cast<unsigned>(u) * rows < n)) continue;
        ONEFOLD_UNROLL
        for (int j = 0; j < W; ++j) {
          if (!m.branch(static_cast<unsigned>(j) < columns)) continue;
          const T one = p[u * step + j * input.axis[0].stride[0]];
          v[u].v[j] = one;
          beside.put(there[u], u, j);
        }
      }
      add.template operator()<All::digits>(v, there, r, columns);
      p = p + 2 * step;
      beside.go(2);
    }
  }
};

}  // namespace onefold::kernel
