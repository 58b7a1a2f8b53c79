// Sums of products of a tile in f64, by tensor cores.
//
//   tile   64 x 64 sums, of which each of four warps has 32 x 32 in registers
//   f64    64 x 32 sums of two words, 32 x 16 for a warp. Vectors have norms of at most 1, by
//          powers of two; an element is a = a' + a'', a' a multiple of 2^-26. Sums of a' b' are
//          multiples of 2^-52 below 2, and exact; a' b'' + a'' b are added in another word, which
//          is rounded
//   stage  16 elements of the tile's vectors as f64 in shared memory, padded so that a warp's loads
//          meet all banks; the next ones are on their way to registers meanwhile
#pragma once

#include "onefold/cuda/kernel/matrix/input.hpp"
#include "onefold/cuda/kernel/number/packed.hpp"

namespace onefold::kernel {

// c += a b for 16 x 8 and 8 x 8 f64: lane 4 g + t has c[g][2 t], c[g][2 t + 1], c[g + 8][2 t],
// c[g + 8][2 t + 1]; a[g][t], a[g + 8][t], a[g][t + 4], a[g + 8][t + 4]; b[t][g], b[t + 4][g].
template <class M>
ONEFOLD_KERNEL void multiply_doubles(M m, double (&c)[4], const double (&a)[4],
                                     const double (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  static_cast<void>(m);
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  static_cast<void>(m);
  ONEFOLD_UNROLL
  for (unsigned k = 0; k < 4; ++k) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[k % 2 * 2]), "+d"(c[k % 2 * 2 + 1])
                 : "d"(a[k]), "d"(b[k / 2]));
  }
#else
  const unsigned lane = static_cast<unsigned>(m.lane()), g = lane / 4, t = lane % 4;
  for (unsigned k = 0; k < 8; ++k) {
    double row[2], column[2];
    for (unsigned i = 0; i < 2; ++i) {
      row[i] = m.shuffle(a[k / 4 * 2 + i], 4 * g + k % 4);
      column[i] = m.shuffle(b[k / 4], 4 * (2 * t + i) + k % 4);
    }
    for (unsigned i = 0; i < 4; ++i) c[i] = __builtin_fma(row[i / 2], column[i % 2], c[i]);
  }
#endif
}

template <class T, class M>
struct DoubleTile {
  static constexpr bool wide = sizeof(T) == 8;
  static constexpr unsigned rows = doubles_rows, columns = doubles_columns<T>, depth = 16,
                            apart = depth + 4, loads = rows * depth / multiply_threads,
                            column_loads = columns * depth / multiply_threads;
  // Of 8 columns each, for a warp.
  static constexpr unsigned strips = columns / 16;
  // From one row of sums to the next, where they are left; their second words are behind them.
  static constexpr unsigned of_row = columns + 4, words = wide ? 2 : 1;
  // Elements, after which second words are brought below 2^-53.
  static constexpr unsigned round = doubles_part;
  static constexpr int stage_words = 2 * (rows + columns) * apart,
                       sum_words = words * rows * of_row,
                       most_words = stage_words > sum_words ? stage_words : sum_words,
                       scales = wide ? rows + columns : 1;

  M m;
  const MatrixFactor<M, T>&f, &g;
  Shared<M, double> stages = shared<double, most_words, struct stages_of_doubles_>(m);
  // Of f64: the powers of two for each row, and behind them for each column.
  Shared<M, double> scale = shared<double, scales, struct scales_>(m);

  struct Sums {
    double c[words][2][strips][4];
  };

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL unsigned lane() const { return static_cast<unsigned>(m.lane()); }
  ONEFOLD_KERNEL unsigned warp() const { return t() / 32; }
  ONEFOLD_KERNEL const MatrixFactor<M, T>& factor(unsigned side) const { return side == 0 ? f : g; }

  // The element of a stage that a thread loads first, of one vector in 8; then those of the other
  // vectors. Lanes read along a vector, or 8 neighbouring vectors, so that stores meet all banks.
  ONEFOLD_KERNEL unsigned vector_of(bool along) const {
    return along ? t() / 16 : lane() % 4 + lane() / 16 * 4;
  }
  ONEFOLD_KERNEL unsigned depth_of(bool along) const {
    return along ? t() % 16 : 4 * warp() + lane() / 4 % 4;
  }
  // Where a thread's elements are: the first one's, and by vectors, how many there are to go on.
  struct Feed {
    In<M, T> x;
    int64_t step, apart;  // to the next stage, and to the next vector
    unsigned vectors, depth;
  };
  ONEFOLD_KERNEL Feed feed(unsigned side, Size vector, Size element) const {
    const MatrixFactor<M, T>& of = factor(side);
    const Size first = vector + vector_of(of.along()), last = of.vectors - 1,
               begin = first < last ? first : last;
    const unsigned depth_here = depth_of(of.along());
    return {of.x + static_cast<int64_t>(begin) * of.apart +
                static_cast<int64_t>(element + depth_here) * of.step,
            static_cast<int64_t>(depth) * of.step, 8 * of.apart,
            static_cast<unsigned>((last - begin) / 8 < loads ? (last - begin) / 8 : loads),
            depth_here};
  }
  // What is beyond the last vector becomes no answer, and elements behind a vector are 0. No load
  // depends on a condition: those would wait for each other.
  ONEFOLD_KERNEL void load(const Feed (&feeds)[2], Size begin, Size end,
                           T (&some)[2][loads]) const {
    ONEFOLD_UNROLL
    for (unsigned side = 0; side < 2; ++side) {
      const Feed& from = feeds[side];
      const bool there = begin + from.depth < end;
      auto x = there ? from.x : from.x + -from.step * static_cast<int64_t>(begin / depth);
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < (side == 0 ? loads : column_loads); ++u) {
        const T one = x[0];
        some[side][u] = there ? one : T{};
        x = x + (u < from.vectors ? from.apart : 0);
      }
    }
  }
  ONEFOLD_KERNEL void store(unsigned stage, const T (&some)[2][loads]) const {
    ONEFOLD_UNROLL
    for (unsigned side = 0; side < 2; ++side) {
      const bool along = factor(side).along();
      const unsigned vector = side * rows + vector_of(along);
      const auto to = stages + ((stage * (rows + columns) + vector) * apart + depth_of(along));
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < (side == 0 ? loads : column_loads); ++u) {
        double one = f64_of(some[side][u]);
        if constexpr (wide) {
          const double power = scale[vector + u * 8];
          one *= power;
        }
        to[u * 8 * apart] = one;
      }
    }
  }
  ONEFOLD_KERNEL unsigned warp_row() const { return warp() / 2 * 32; }
  ONEFOLD_KERNEL unsigned warp_column() const { return warp() % 2 * (columns / 2); }
  // Leaves of a number of magnitude 1 or less what is a multiple of 2^-26; returns the rest.
  ONEFOLD_KERNEL static double take_rest(double& x) {
    const double high = (x + 0x1.8p26) - 0x1.8p26, rest = x - high;
    x = high;
    return rest;
  }
  ONEFOLD_KERNEL void add(unsigned stage, Sums& sums) const {
    const unsigned g = lane() / 4, k = lane() % 4;
    const auto left = stages + ((stage * (rows + columns) + warp_row() + g) * apart + k),
               right = stages + ((stage * (rows + columns) + rows + warp_column() + g) * apart + k);
    ONEFOLD_UNROLL
    for (unsigned step = 0; step < depth; step += 8) {
      double a[2][4], b[strips][2];
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        ONEFOLD_UNROLL
        for (unsigned e = 0; e < 4; ++e) {
          a[i][e] = left[(16 * i + e % 2 * 8) * apart + step + e / 2 * 4];
        }
      }
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < strips; ++j) {
        ONEFOLD_UNROLL
        for (unsigned e = 0; e < 2; ++e) b[j][e] = right[8 * j * apart + step + e * 4];
      }
      if constexpr (wide) add_words(sums, a, b);
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        ONEFOLD_UNROLL
        for (unsigned j = 0; j < strips; ++j) multiply_doubles(m, sums.c[0][i][j], a[i], b[j]);
      }
    }
  }
  // Adds to second words, and leaves the upper parts of all numbers.
  ONEFOLD_KERNEL void add_words(Sums& sums, double (&a)[2][4], double (&b)[strips][2]) const {
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      double rest[4];
      ONEFOLD_UNROLL
      for (unsigned e = 0; e < 4; ++e) rest[e] = take_rest(a[i][e]);
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < strips; ++j) multiply_doubles(m, sums.c[1][i][j], rest, b[j]);
    }
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < strips; ++j) {
      double rest[2];
      ONEFOLD_UNROLL
      for (unsigned e = 0; e < 2; ++e) rest[e] = take_rest(b[j][e]);
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 2; ++i) multiply_doubles(m, sums.c[1][i][j], a[i], rest);
    }
  }
  // Brings second words below 2^-53: what is above becomes a part of the first ones.
  ONEFOLD_KERNEL void carry(Sums& sums) const {
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < strips; ++j) {
        ONEFOLD_UNROLL
        for (unsigned e = 0; e < 4; ++e) {
          double &high = sums.c[0][i][j][e], &low = sums.c[words - 1][i][j][e];
          const double more = (low + 1.5) - 1.5;
          high += more;
          low -= more;
        }
      }
    }
  }
  // Leaves the sums of a tile's rows and columns in shared memory, row by row.
  //   begin, end  the elements; `begin` is a multiple of `round`
  ONEFOLD_KERNEL void run(Size row, Size column, Size begin, Size end) const {
    Sums sums = {};
    T some[2][loads];
    Feed feeds[2] = {feed(0, row, begin), feed(1, column, begin)};
    load(feeds, begin, end, some);
    unsigned now = 0;
    ONEFOLD_NO_UNROLL
    for (Size k = begin; k < end; k += depth, now = 1 - now) {
      store(now, some);
      if (k + depth < end) {
        feeds[0].x = feeds[0].x + feeds[0].step;
        feeds[1].x = feeds[1].x + feeds[1].step;
        load(feeds, k + depth, end, some);
      }
      m.sync();
      add(now, sums);
      if constexpr (wide) {
        if ((k + depth) % round == 0) carry(sums);
      }
    }
    m.sync();
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < strips; ++j) {
        ONEFOLD_UNROLL
        for (unsigned e = 0; e < 4; ++e) {
          const unsigned r = warp_row() + 16 * i + e / 2 * 8 + lane() / 4,
                         at = warp_column() + 8 * j + lane() % 4 * 2 + e % 2;
          ONEFOLD_UNROLL
          for (unsigned w = 0; w < words; ++w) {
            stages[(w * rows + r) * of_row + at] = sums.c[w][i][j][e];
          }
        }
      }
    }
    m.sync();
  }
};

}  // namespace onefold::kernel
