// The sum that no order of addition can change: elements are turned into integers first, by fixed
// point with 32 bits behind the point, and integers add in any order.
//
//   range    floats: multiples of 2^-32 below 2^31 in magnitude, fewer than 2^31 of them; any other
//            element makes the answer NaN. Integers: sums that the type holds
//   exact    yes; rounded once, at the end
//   grid     at most 65535 blocks: so many 16-bit pieces add up in 32 bits
#pragma once

#include "lab/rung/shared_block.hpp"

namespace onefold::lab::reduce {

struct exact_sum {
  static constexpr Rung about{
      .title = "Exact sum",
      .idea = "integers add up the same in any order: so floats become fixed-point integers",
      .source = "beyond the texts",
      .after = "ticket",
      .flow = Flow::one_launch,
      .grid = Grid::chosen,
      .block_known = true,
      .exact = true};

  // Whole part and 2^32 times the rest, of one element or of a sum.
  struct Fixed {
    int64_t whole = 0, rest = 0;
    bool outside = false;

    template <class T>
    ONEFOLD_KERNEL void add(T v) {
      if constexpr (T(0.5) == T(0)) {
        whole += v;
      } else if (v > T(-2147483648.0) && v < T(2147483648.0)) {
        const auto w = static_cast<int64_t>(v);
        const T scaled = (v - static_cast<T>(w)) * T(4294967296.0);  // both steps are exact
        const auto r = static_cast<int64_t>(scaled);
        outside = outside || static_cast<T>(r) != scaled;
        whole += w;
        rest += r;
      } else {
        outside = true;
      }
    }

    template <class T>
    ONEFOLD_KERNEL T rounded() const {
      if constexpr (T(0.5) == T(0)) {
        return static_cast<T>(whole);
      } else {
        if (outside) return T(bit_cast<double>(uint64_t{0x7ff8000000000000}));
        // Bits of the rest move up behind the whole until 62 are there; of those that stay
        // behind it only matters whether there are any.
        int64_t v = whole + (rest >> 32);
        auto behind = static_cast<uint32_t>(rest);
        T unit = 1;
        while (behind != 0 && v < int64_t{1} << 61 && v >= -(int64_t{1} << 61)) {
          v = v * 2 + (behind >> 31);
          behind <<= 1;
          unit /= 2;
        }
        return static_cast<T>(behind != 0 ? v | 1 : v) * unit;
      }
    }
  };

  // words: the ticket, then the total in pieces of 16 bits, then the blocks with elements outside.
  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n, Out<M, unsigned> words) {
    constexpr bool floats = T(0.5) != T(0);
    constexpr unsigned pieces = floats ? 8 : 4;
    auto wholes = shared<int64_t, B / 32, struct wholes_>(m);
    auto rests = shared<int64_t, B / 32, struct rests_>(m);
    auto outsides = shared<int, B / 32, struct outsides_>(m);
    const auto t = m.thread();
    Fixed sum;
    for (auto i = Size(m.block()) * B + t; m.inside(i, n); i += Size(B) * m.blocks()) {
      const T v = x[i];
      sum.add(v);
    }
    sum.whole = block_sum<B>(m, wholes, t, sum.whole);
    int lost = 0;
    if constexpr (floats) {
      sum.rest = block_sum<B>(m, rests, t, sum.rest);
      lost = block_sum<B>(m, outsides, t, sum.outside ? 1 : 0);
    }
    if (t != 0) return;
    for (unsigned k = 0; k < pieces; ++k) {
      const int64_t half = k < 4 ? sum.whole : sum.rest;
      m.add(words, k + 1, static_cast<unsigned>(half >> (k % 4 * 16)) & 0xffffu);
    }
    if (lost != 0) m.add(words, pieces + 1, 1u);
    m.fence();
    if (m.add(words, 0, 1u) != m.blocks() - 1) return;
    m.fence();
    uint64_t total[2] = {0, 0};
    for (unsigned k = 0; k < pieces; ++k) {
      const unsigned piece = words[k + 1];
      total[k / 4] += uint64_t{piece} << (k % 4 * 16);
      words[k + 1] = 0u;
    }
    sum.whole = static_cast<int64_t>(total[0]);
    sum.rest = static_cast<int64_t>(total[1]);
    if constexpr (floats) {
      const unsigned blocks_outside = words[pieces + 1];
      sum.outside = blocks_outside != 0;
      words[pieces + 1] = 0u;
    }
    words[0] = 0u;
    y[0] = sum.rounded<T>();
  }
};

}  // namespace onefold::lab::reduce
