// Folds columns: neighbours belong to neighbouring answers, and a lane holds up to four of them.
//
//   block    a tile of columns, `lanes` threads side by side, the others at other rows; then they
//            meet in shared memory, and a thread rounds a column
//   copies   of few columns: so many rows that lie one behind the other are taken as one row
//   parts    of an answer are runs of rows; they meet in memory
#pragma once

#include "onefold/kernel/end/parts.hpp"
#include "onefold/kernel/open_answers.hpp"

namespace onefold::kernel {

template <class T, uint32_t set, uint32_t ops, class M>
struct Columns {
  using All = Totals<T, ops>;
  static constexpr int W = columns_of_lane(dtype_of<T>, Accumulators(set));
  static constexpr int at_once = sizeof(T) * W >= 16 ? 4 : 8;
  enum : int { most_threads = 256 };
  struct alignas(W * sizeof(T)) Wide {
    T v[W];
  };

  M m;
  const NestInput<M, T>& input;
  const Deal& deal;
  unsigned t, tx, ty, rows;  // threads below one another
  Size tile_width;

  ONEFOLD_KERNEL Columns(M machine, const NestInput<M, T>& in, const Deal& d)
      : m(machine), input(in), deal(d) {
    t = static_cast<unsigned>(m.thread());
    ty = t / deal.lanes;
    tx = t - ty * deal.lanes;
    rows = m.threads() / deal.lanes;
    tile_width = Size{deal.lanes} * W;
  }

  // The place in a tile of the thread's column j.
  ONEFOLD_KERNEL Size place(int j) const {
    return deal.wide ? Size{tx} * W + static_cast<unsigned>(j)
                     : tx + Size{deal.lanes} * static_cast<unsigned>(j);
  }

  // What the thread gathers of its columns of a tile, of rows begin..end.
  ONEFOLD_KERNEL void take(All (&total)[W], In<M, T> x, Size tile, Size begin, Size end) const {
    if (ty >= rows) return;
    const NestAxis across = input.axis[0], inner = input.axis[input.kept];
    const Size whole = inner.extent / deal.copies,
               inner_rows = (inner.extent + deal.copies - 1) / deal.copies;
    const int64_t apart = static_cast<int64_t>(deal.copies) * inner.stride[0];
    const Size at = tile * tile_width;
    ONEFOLD_NO_UNROLL
    for (Size k = begin; k < end;) {
      // Rows that one step leads along.
      Size s = k;
      int64_t offset = 0;
      Size before = 0;
      if (input.folded > 1) {
        const Size o = k / inner_rows;
        s = k - o * inner_rows;
        offset = spot_of<false>(input, input.kept + 1, input.folded - 1, o).x;
        before = o * inner.extent;
      }
      const Size n = end - k < inner_rows - s ? end - k : inner_rows - s;
      const Size full = s >= whole ? 0 : n < whole - s ? n : whole - s;
      const auto from = x + (offset + static_cast<int64_t>(s) * apart);
      take_rows(total, from, apart, at, full, deal.width, before + s * deal.copies);
      if (full < n) {  // the last row is shorter
        take_rows(total, from + static_cast<int64_t>(full) * apart, apart, at, 1,
                  (inner.extent - whole * deal.copies) * across.extent,
                  before + whole * deal.copies);
      }
      k += n;
    }
  }
  // Of n rows, `apart` from one another and `width` wide; the first element's number is `number`.
  ONEFOLD_KERNEL void take_rows(All (&total)[W], In<M, T> from, int64_t apart, Size at, Size n,
                                Size width, Size number) const {
    const NestAxis across = input.axis[0];
    const int64_t step = static_cast<int64_t>(rows) * apart;
    bool has[W];
    uint32_t j_of[W];
    ONEFOLD_UNROLL
    for (int j = 0; j < W; ++j) {
      has[j] = at + place(j) < width;
      j_of[j] = static_cast<uint32_t>(number);
      if (All::asked.index && deal.copies > 1) {
        j_of[j] += static_cast<uint32_t>(place(j) / across.extent);
      }
    }
    const uint32_t each = deal.copies;
    Size r = ty;
    if (m.branch(deal.wide && has[W - 1])) {
      auto p = from + (static_cast<int64_t>(at + place(0)) + static_cast<int64_t>(ty) * apart);
      ONEFOLD_NO_UNROLL
      for (; r + Size{at_once - 1} * rows < n; r += Size{at_once} * rows) {
        Wide v[at_once];
        ONEFOLD_UNROLL
        for (int u = 0; u < at_once; ++u) {
          const Wide w = m.template as<Wide>(p + u * step)[0];
          v[u] = w;
        }
        ONEFOLD_UNROLL
        for (int u = 0; u < at_once; ++u) {
          const auto row = static_cast<uint32_t>(r + Size{rows} * static_cast<unsigned>(u));
          ONEFOLD_UNROLL
          for (int j = 0; j < W; ++j) total[j].add(v[u].v[j], j_of[j] + row * each);
        }
        p = p + at_once * step;
      }
      ONEFOLD_NO_UNROLL
      for (; r < n; r += rows) {
        const Wide w = m.template as<Wide>(p)[0];
        ONEFOLD_UNROLL
        for (int j = 0; j < W; ++j) {
          total[j].add(w.v[j], j_of[j] + static_cast<uint32_t>(r) * each);
        }
        p = p + step;
      }
      return;
    }
    ONEFOLD_NO_UNROLL
    for (; r < n; r += rows) {
      T v[W];
      ONEFOLD_UNROLL
      for (int j = 0; j < W; ++j) {
        if (!m.branch(has[j])) continue;
        const T one = from[static_cast<int64_t>(r) * apart +
                           static_cast<int64_t>(at + place(j)) * across.stride[0]];
        v[j] = one;
      }
      ONEFOLD_UNROLL
      for (int j = 0; j < W; ++j) {
        if (m.branch(has[j])) total[j].add(v[j], j_of[j] + static_cast<uint32_t>(r) * each);
      }
    }
  }

  // All threads' totals of a tile meet: afterwards thread q has those of column q.
  ONEFOLD_KERNEL All meet(All (&total)[W], Size columns) const {
    constexpr int words = All::words == 0 ? 1 : All::words;
    const auto slots = shared<int64_t, most_threads * words, struct slots_>(m);
    unsigned half = 1;
    while (half < rows) half *= 2;
    ONEFOLD_UNROLL
    for (int j = 0; j < W; ++j) {
      ONEFOLD_NO_UNROLL
      for (unsigned d = half / 2; d > 0; d /= 2) {
        if (ty >= d && ty < 2 * d && ty < rows) total[j].store(slots + t, most_threads);
        m.sync();
        if (ty < d && ty + d < rows) {
          total[j].add(All::load(slots + (t + d * deal.lanes), most_threads));
        }
        m.sync();
      }
    }
    ONEFOLD_UNROLL
    for (int j = 0; j < W; ++j) {
      if (ty == 0) total[j].store(slots + place(j), most_threads);
    }
    m.sync();
    All mine;
    if (t < columns) {
      ONEFOLD_NO_UNROLL
      for (Size q = t; q < tile_width && q < deal.width; q += columns) {
        mine.add(All::load(slots + q, most_threads));
        if (deal.copies == 1) break;
      }
    }
    m.sync();
    return mine;
  }

  // What all parts left of a tile's columns: thread q has those of column q.
  ONEFOLD_KERNEL All collect(Out<M, int64_t> left, Size columns) const {
    constexpr int words = All::words == 0 ? 1 : All::words;
    const auto slots = shared<int64_t, most_threads * words, struct slots_>(m);
    const unsigned n = static_cast<unsigned>(columns), slices = m.threads() / n, slice = t / n,
                   q = t - slice * n;
    All mine;
    if (slice < slices) {
      ONEFOLD_NO_UNROLL
      for (Size p = slice; p < deal.parts; p += slices) {
        mine.add(All::load(left + p * words * tile_width + q, tile_width));
      }
      mine.store(slots + t, most_threads);
    }
    m.sync();
    if (t < n) {
      ONEFOLD_NO_UNROLL
      for (unsigned s = 1; s < slices; ++s) mine.add(All::load(slots + (t + s * n), most_threads));
    }
    m.sync();
    return mine;
  }
};

template <class T, uint32_t set, uint32_t ops, class M>
ONEFOLD_KERNEL void fold_columns(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                 const Results<M, ops>& results, const Deal& deal) {
  using C = Columns<T, set, ops, M>;
  using All = typename C::All;
  constexpr int W = C::W;
  const C columns(m, input, deal);
  const OpenAnswers<M> open(m);
  const Size across = input.axis[0].extent;
  const Size tiles = (deal.width + columns.tile_width - 1) / columns.tile_width,
             each = tiles * deal.parts, items = deal.answers / across * each;
  const NestAxis inner = input.axis[input.kept];
  const Size all_rows =
      (inner.extent + deal.copies - 1) / deal.copies * (input.elements / inner.extent);
  const bool alone = columns.rows == 1 && deal.copies == 1;  // a thread has columns for itself
  ONEFOLD_NO_UNROLL
  for (Size item = m.block(); item < items; item += m.blocks()) {
    const Size outer = item / each, tile_part = item - outer * each, tile = tile_part / deal.parts,
               part = tile_part - tile * deal.parts;
    const Size begin = part * deal.part,
               end = all_rows - begin < deal.part ? all_rows : begin + deal.part;
    const Spot at = spot_of<false>(input, 1, input.kept - 1, outer);
    All total[W];
    columns.take(total, input.x + at.x, tile, begin, end);
    const Size first = tile * columns.tile_width;
    const Size real = deal.copies > 1                       ? across
                      : across - first < columns.tile_width ? across - first
                                                            : columns.tile_width;
    const auto left =
        scratch.left + (outer * tiles + tile) * deal.parts * All::words * columns.tile_width;
    const auto mine = left + part * All::words * columns.tile_width;
    if (!alone) {
      total[0] = columns.meet(total, real);
      if (deal.parts > 1) {
        if (columns.t < real) total[0].store(mine + columns.t, columns.tile_width);
        if (!is_last_part(m, scratch, outer * tiles + tile, deal.parts)) continue;
        total[0] = columns.collect(left, real);
      }
    } else if (deal.parts > 1) {
      ONEFOLD_UNROLL
      for (int j = 0; j < W; ++j) {
        if (columns.place(j) < real && columns.ty == 0) {
          total[j].store(mine + columns.place(j), columns.tile_width);
        }
      }
      if (!is_last_part(m, scratch, outer * tiles + tile, deal.parts)) continue;
    }
    // A thread rounds one column, or one after another those that it has for itself.
    const Size before = outer * across + first;
    const int n = alone ? W : 1;
    ONEFOLD_NO_UNROLL
    for (int j = 0; j < n; ++j) {
      All one = total[0];
      ONEFOLD_UNROLL
      for (int k = 1; k < W; ++k) one = All::choose(j == k, total[k], one);
      const Size place = alone ? columns.place(j) : Size{columns.t};
      const bool has = place < real && (columns.ty == 0 || !alone);
      if (alone && deal.parts > 1 && m.branch(has)) {
        one = All();
        ONEFOLD_NO_UNROLL
        for (Size p = 0; p < deal.parts; ++p) {
          one.add(
              All::load(left + p * All::words * columns.tile_width + place, columns.tile_width));
        }
      }
      bool sure = true;
      if (m.branch(has)) {
        const Size number =
            input.answer + static_cast<Size>(answer_at<false>(input, before + place).step);
        sure = LaneAnswers<T, ops>::put_all(m, one, deal.formulas, input.elements, results, number);
      }
      if (open.tell(m, !sure, before + place)) {
        redo<T, set, ops>(m, input, results, deal, open);
      }
    }
  }
}

}  // namespace onefold::kernel
