// Adds the sums of a tile's parts of vectors (double_tile.hpp), each of which is a block's.
#pragma once

#include "onefold/core/exponential/rounding.hpp"
#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/matrix/double_tile.hpp"

namespace onefold::kernel {

// Returns the sum of two pairs, with the error of the addition of first words.
ONEFOLD_KERNEL DoublePair added(const DoublePair& a, const DoublePair& b) {
  const auto s = two_sum<OneLane>(a.high, b.high);
  return {s.sum, a.low + b.low + s.rest};
}

template <class T, class M>
struct DoubleParts {
  using Tile = DoubleTile<T, M>;
  static constexpr unsigned words = Tile::words, entries = Tile::rows * Tile::columns,
                            at_once = 16 / words;
  static_assert(entries % (at_once * multiply_threads) == 0);

  M m;
  const Tile& sums;
  Size tile;  // its number in the launch
  Size parts;

  ONEFOLD_KERNEL static unsigned place(unsigned i, unsigned word) {
    return (word * Tile::rows + i / Tile::columns) * Tile::of_row + i % Tile::columns;
  }
  // Stores a part's sums. Returns whether it is the last; if so, `sums` are those of all parts.
  //   memory  of words * entries for each part of each tile
  ONEFOLD_KERNEL bool are_added(Out<M, int32_t> memory, const Scratch<M>& scratch,
                                Size part) const {
    const unsigned t = static_cast<unsigned>(m.thread());
    const auto laid = m.template as<double>(memory) + tile * parts * Size{words * entries},
               mine = laid + part * Size{words * entries};
    ONEFOLD_NO_UNROLL
    for (unsigned i = t; i < words * entries; i += multiply_threads) {
      const double one = sums.stages[place(i % entries, i / entries)];
      mine[i] = one;
    }
    if (!is_last_part(m, scratch, tile, static_cast<uint32_t>(parts))) return false;
    ONEFOLD_NO_UNROLL
    for (unsigned i = t; i < entries; i += at_once * multiply_threads) {
      DoublePair sum[at_once] = {};
      ONEFOLD_NO_UNROLL
      for (Size p = 0; p < parts; ++p) add(laid + p * Size{words * entries} + i, sum);
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        const auto whole = two_sum<OneLane>(sum[u].high, sum[u].low);
        sums.stages[place(i + u * multiply_threads, 0)] = whole.sum;
        if constexpr (words == 2) sums.stages[place(i + u * multiply_threads, 1)] = whole.rest;
      }
    }
    m.sync();
    return true;
  }
  // Several loads are on their way at once.
  ONEFOLD_KERNEL void add(Out<M, double> from, DoublePair (&sum)[at_once]) const {
    double some[at_once][words];
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) {
      ONEFOLD_UNROLL
      for (unsigned w = 0; w < words; ++w) some[u][w] = from[w * entries + u * multiply_threads];
    }
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) {
      sum[u] = added(sum[u], {some[u][0], words == 2 ? some[u][words - 1] : 0});
    }
  }
};

}  // namespace onefold::kernel
