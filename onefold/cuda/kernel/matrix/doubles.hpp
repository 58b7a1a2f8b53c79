// Products of floats of at most 32 bits by the f64 products of tensor cores, which round as fma does:
// each term is exact, and n additions err by at most n 2^-53 of the product of both norms.
//
//   grid    a block for each tile of 64 x 64 entries, whose four warps have 32 x 32 in registers
//   stage   16 elements of the tile's vectors as f64 in shared memory, padded so that a warp's loads
//           meet all banks; the next ones are on their way to registers meanwhile
//   answer  exact, if both norms are at most 2^53 units; else decided if the error moves no rounding;
//           others by a warp, which keeps the errors of additions. What these leave open is noted
#pragma once

#include "onefold/core/exponential/rounding.hpp"
#include "onefold/cuda/kernel/matrix/answer.hpp"
#include "onefold/cuda/kernel/number/convert.hpp"
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

// Returns a power of two times a number from 1 to 2 that is at least 2^v and at most 1.07 of it.
ONEFOLD_KERNEL double power_above(int whole, float v) {
  const float low = v < 0 ? -static_cast<float>(static_cast<int>(1 - v))
                          : static_cast<float>(static_cast<int>(v));
  const double up =
      bit_cast<double>(static_cast<uint64_t>(1023 + whole + static_cast<int>(low)) << 52);
  return up * (1 + static_cast<double>(v - low));
}

template <class T, OpSet ops, class M>
struct MatrixDoubles {
  static constexpr unsigned tile = doubles_tile, depth = 16, apart = depth + 4, of_row = tile + 4,
                            loads = tile * depth / multiply_threads;
  // Sums of norms up to which all sums of products are exact.
  static constexpr float most_exact = 52.9f;

  M m;
  const Matrix<M, T>& in;
  const MatrixMember<M, T>& member;
  const MatrixAnswers<T, ops, M>& answers;
  Shared<M, double> stages = shared<double, 4 * int{tile * apart}, struct stages_of_doubles_>(m);
  Shared<M, double> norm = shared<double, int{tile}, struct norms_of_rows_>(m);
  Shared<M, float> norm_bits = shared<float, int{tile}, struct bits_of_rows_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL unsigned lane() const { return static_cast<unsigned>(m.lane()); }
  ONEFOLD_KERNEL unsigned warp() const { return t() / 32; }
  ONEFOLD_KERNEL const MatrixFactor<M, T>& factor(unsigned side) const {
    return side == 0 ? answers.f : answers.g;
  }

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
  ONEFOLD_KERNEL Feed feed(unsigned side, Size vector) const {
    const MatrixFactor<M, T>& f = factor(side);
    const Size first = vector + vector_of(f.along()), last = f.vectors - 1,
               begin = first < last ? first : last;
    const unsigned depth_here = depth_of(f.along());
    return {f.x + static_cast<int64_t>(begin) * f.apart + static_cast<int64_t>(depth_here) * f.step,
            static_cast<int64_t>(depth) * f.step, 8 * f.apart,
            static_cast<unsigned>((last - begin) / 8 < loads ? (last - begin) / 8 : loads),
            depth_here};
  }
  // What is beyond the last vector becomes no answer, and elements behind a vector are 0. No load
  // depends on a condition: those would wait for each other.
  ONEFOLD_KERNEL void load(const Feed (&feeds)[2], Size begin, T (&some)[2][loads]) const {
    ONEFOLD_UNROLL
    for (unsigned side = 0; side < 2; ++side) {
      const Feed& f = feeds[side];
      const bool there = begin + f.depth < in.inner;
      auto x = there ? f.x : f.x + -f.step * static_cast<int64_t>(begin / depth);
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < loads; ++u) {
        const T one = x[0];
        some[side][u] = there ? one : T{};
        x = x + (u < f.vectors ? f.apart : 0);
      }
    }
  }
  ONEFOLD_KERNEL void store(unsigned stage, const T (&some)[2][loads]) const {
    ONEFOLD_UNROLL
    for (unsigned side = 0; side < 2; ++side) {
      const bool along = factor(side).along();
      const auto to =
          stages + ((2 * stage + side) * tile * apart + vector_of(along) * apart + depth_of(along));
      ONEFOLD_UNROLL
      for (int u = 0; u < int{loads}; ++u) {
        to[u * int{8 * apart}] = static_cast<double>(f32_of(some[side][u]));
      }
    }
  }
  ONEFOLD_KERNEL unsigned warp_row() const { return warp() / 2 * 32; }
  ONEFOLD_KERNEL unsigned warp_column() const { return warp() % 2 * 32; }
  ONEFOLD_KERNEL void add(unsigned stage, double (&c)[2][4][4]) const {
    const unsigned g = lane() / 4, k = lane() % 4;
    const auto left = stages + (2 * stage * tile * apart + (warp_row() + g) * apart + k),
               right = stages + ((2 * stage + 1) * tile * apart + (warp_column() + g) * apart + k);
    ONEFOLD_UNROLL
    for (unsigned step = 0; step < depth; step += 8) {
      double a[2][4], b[4][2];
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        ONEFOLD_UNROLL
        for (unsigned e = 0; e < 4; ++e) {
          a[i][e] = left[(16 * i + e % 2 * 8) * apart + step + e / 2 * 4];
        }
      }
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < 4; ++j) {
        ONEFOLD_UNROLL
        for (unsigned e = 0; e < 2; ++e) b[j][e] = right[8 * j * apart + step + e * 4];
      }
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        ONEFOLD_UNROLL
        for (unsigned j = 0; j < 4; ++j) multiply_doubles(m, c[i][j], a[i], b[j]);
      }
    }
  }
  // Leaves the tile's sums in shared memory, row by row, with what is known of its rows.
  ONEFOLD_KERNEL void leave(Size row, const double (&c)[2][4][4]) const {
    m.sync();
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < 4; ++j) {
        ONEFOLD_UNROLL
        for (unsigned e = 0; e < 4; ++e) {
          const unsigned r = warp_row() + 16 * i + e / 2 * 8 + lane() / 4,
                         column = warp_column() + 8 * j + lane() % 4 * 2 + e % 2;
          stages[r * of_row + column] = c[i][j][e];
        }
      }
    }
    if (m.branch(t() < tile)) {
      const Size v = row + t() < answers.f.vectors ? row + t() : answers.f.vectors - 1;
      const float bits = answers.f.bits[v];
      const int32_t unit = answers.f.unit[v];
      norm_bits[t()] = bits;
      norm[t()] = bits < 1e6f ? power_above(unit, bits) : 0;
    }
    m.sync();
  }

  // Whether all products of an entry are 0.
  ONEFOLD_KERNEL bool has_no_product(Size row, Size column) const {
    const auto &f = answers.f, &g = answers.g;
    int64_t x = static_cast<int64_t>(row) * f.apart, y = static_cast<int64_t>(column) * g.apart;
    ONEFOLD_NO_UNROLL
    for (Size k = 0; k < in.inner; ++k, x += f.step, y += g.step) {
      const T one = f.x[x], other = g.x[y];
      if (f32_of(one) != 0 && f32_of(other) != 0) return false;
    }
    return true;
  }
  // Answers an entry that its sum does not decide, unless products are to be added again.
  ONEFOLD_KERNEL bool answer(Size row, Size column, double sum, bool exact) const {
    const float bits = answers.f.bits[row], other = answers.g.bits[column], both = bits + other;
    if (!(both < 1e6f)) {
      answers.put_special(row, column, both);
    } else if (sum == 0 && (exact || has_no_product(row, column))) {
      answers.put(row, column, answers.zero_of(row, column), Status::ok);
    } else {
      return false;
    }
    return true;
  }
  // Adds products of an entry again, each by-th one, with each addition's error (TwoSum).
  ONEFOLD_KERNEL DoublePair add_again(Size row, Size column, unsigned begin, unsigned by) const {
    constexpr unsigned at_once = 8;
    const auto &f = answers.f, &g = answers.g;
    const auto x = f.x + static_cast<int64_t>(row) * f.apart,
               y = g.x + static_cast<int64_t>(column) * g.apart;
    DoublePair sum{0, 0};
    ONEFOLD_NO_UNROLL
    for (Size k = begin; k < in.inner; k += at_once * by) {
      T one[at_once], other[at_once];
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        const auto at = static_cast<int64_t>(k + u * by < in.inner ? k + u * by : begin);
        one[u] = x[at * f.step];
        other[u] = y[at * g.step];
      }
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        const double product =
            static_cast<double>(f32_of(one[u])) * static_cast<double>(f32_of(other[u]));
        sum = added(sum, {k + u * by < in.inner ? product : 0, 0});
      }
    }
    return sum;
  }
  ONEFOLD_KERNEL static DoublePair added(const DoublePair& a, const DoublePair& b) {
    const auto s = two_sum<OneLane>(a.high, b.high);
    return {s.sum, a.low + b.low + s.rest};
  }
  ONEFOLD_KERNEL void round_again(Size row, Size column, const DoublePair& sum) const {
    const auto &f = answers.f, &g = answers.g;
    const float of_row = f.bits[row], of_column = g.bits[column];
    const int32_t unit = f.unit[row], other_unit = g.unit[column];
    // Errors of additions are at most 2^-53 of both norms; so many of them are added.
    const auto n = static_cast<double>(in.inner + 8);
    const double error =
        power_above(unit, of_row) * power_above(other_unit, of_column) * (n * n * 0x1.02p-105);
    const auto whole = two_sum<OneLane>(sum.high, sum.low);
    uint64_t bits = 0;
    if (m.branch(decided_bits<T>({whole.sum, whole.rest}, error, &bits))) {
      answers.put(row, column, bits, Status::ok);
    } else {
      answers.note(row, column);
    }
  }
  // Answers a warp's open entries of a row, each by its lane or, if they are few, by all lanes.
  ONEFOLD_KERNEL void answer_again(Size row, Size column, bool open) const {
    uint32_t lanes = m.ballot(open);
    if (static_cast<Size>(m.count_bits(lanes)) * (256 + in.inner / 2) > 16 * in.inner) {
      if (m.branch(open)) round_again(row, column, add_again(row, column, 0, 1));
      return;
    }
    ONEFOLD_NO_UNROLL
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto who = static_cast<unsigned>(bit_length(uint64_t{lanes & (0 - lanes)}) - 1);
      const Size of_lane = column - lane() + who;
      DoublePair sum = add_again(row, of_lane, lane(), 32);
      ONEFOLD_UNROLL
      for (unsigned d = 16; d != 0; d /= 2) {
        sum = added(sum, {m.shuffle_xor(sum.high, d), m.shuffle_xor(sum.low, d)});
      }
      if (m.branch(lane() == 0)) round_again(row, of_lane, sum);
    }
  }
  // Answers the entries of a column that a thread has: several at once, then those that are open.
  //   first  the column of the tile
  ONEFOLD_KERNEL void answer_all(Size row, Size first) const {
    const bool there = first + t() % tile < answers.g.vectors;
    const Size column = there ? first + t() % tile : answers.g.vectors - 1;
    constexpr unsigned at_once = 4, step = multiply_threads / tile, each = tile / step;
    static_assert(each <= 32);
    const float bits = answers.g.bits[column];
    const int32_t unit = answers.g.unit[column];
    // Some more for roundings of the norms and of the error itself.
    const double share =
        bits < 1e6f ? power_above(unit, bits) * (static_cast<double>(in.inner + 8) * 0x1.02p-53)
                    : 0;
    const auto exact = [&](unsigned r) {
      const float of_row = norm_bits[r];
      return of_row + bits <= most_exact;
    };
    uint32_t open = 0;
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; k < each; k += at_once) {
      uint64_t low[at_once];
      bool decided[at_once];
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < at_once; ++i) {
        const unsigned r = t() / tile + (k + i) * step;
        const double sum = stages[r * of_row + t() % tile], of_vector = norm[r],
                     error = exact(r) ? 0 : of_vector * share;
        const float of_bits = norm_bits[r];
        low[i] = rounded_float<T>(sum - error);
        decided[i] = of_bits + bits < 1e6f && sum != 0 && low[i] == rounded_float<T>(sum + error);
      }
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < at_once; ++i) {
        const Size at = row + t() / tile + (k + i) * step;
        if (!m.branch(there && at < answers.f.vectors)) continue;
        if (m.branch(decided[i])) answers.put(at, column, low[i], Status::ok);
        open |= decided[i] ? 0 : 1u << (k + i);
      }
    }
    if (!m.any(open != 0)) return;
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; k < each; ++k) {
      const unsigned r = t() / tile + k * step;  // the same for a warp
      bool again = (open >> k & 1) != 0;
      if (m.branch(again)) {
        const double sum = stages[r * of_row + t() % tile];
        again = !answer(row + r, column, sum, exact(r));
      }
      if (m.any(again)) answer_again(row + r, first + t() % tile, again);
    }
  }

  ONEFOLD_KERNEL void run() const {
    const Size across = (answers.g.vectors + tile - 1) / tile,
               down = quotient_of(member.block, across);
    const Size first[2] = {down * tile, (member.block - down * across) * tile};
    double c[2][4][4] = {};
    T some[2][loads];
    Feed feeds[2] = {feed(0, first[0]), feed(1, first[1])};
    load(feeds, 0, some);
    unsigned now = 0;
    ONEFOLD_NO_UNROLL
    for (Size k = 0; k < in.inner; k += depth, now = 1 - now) {
      store(now, some);
      if (k + depth < in.inner) {
        feeds[0].x = feeds[0].x + feeds[0].step;
        feeds[1].x = feeds[1].x + feeds[1].step;
        load(feeds, k + depth, some);
      }
      m.sync();
      add(now, c);
    }
    leave(first[0], c);
    answer_all(first[0], first[1]);
  }
};

template <class T, OpSet ops, class M>
ONEFOLD_KERNEL void doubles_of_matrix(M m, const Matrix<M, T>& in, const Scratch<M>& scratch,
                                      const Results<M, ops>& results) {
  if constexpr (Floating<T> && sizeof(T) <= 4) {
    const MatrixMember<M, T> member(m, in);
    const MatrixAnswers<T, ops, M> answers{m, in, member, scratch, results};
    MatrixDoubles<T, ops, M>{m, in, member, answers}.run();
  }
}

}  // namespace onefold::kernel
