// Products of floats of at most 32 bits by the f64 products of tensor cores, which round as fma
// does: each term is exact, and n additions err by at most n 2^-53 of the product of both norms.
//
//   grid    a block for each tile of 64 x 64 entries (double_tile.hpp)
//   answer  exact, if both norms are at most 2^53 units; else decided if the error moves no
//           rounding; others by a warp, which keeps the errors of additions. What these leave open
//           is noted
#pragma once

#include "onefold/core/exponential/rounding.hpp"
#include "onefold/cuda/kernel/matrix/answer.hpp"
#include "onefold/cuda/kernel/matrix/double_tile.hpp"
#include "onefold/cuda/kernel/number/convert.hpp"

namespace onefold::kernel {

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
  using Tile = DoubleTile<T, M>;
  static constexpr unsigned tile = Tile::tile, of_row = Tile::of_row;
  // Sums of norms up to which all sums of products are exact.
  static constexpr float most_exact = 52.9f;

  M m;
  const Matrix<M, T>& in;
  const MatrixMember<M, T>& member;
  const MatrixAnswers<T, ops, M>& answers;
  Tile sums{m, answers.f, answers.g, in.inner};
  Shared<M, double> norm = shared<double, int{tile}, struct norms_of_rows_>(m);
  Shared<M, float> norm_bits = shared<float, int{tile}, struct bits_of_rows_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL unsigned lane() const { return static_cast<unsigned>(m.lane()); }

  // Leaves what is known of the tile's rows in shared memory.
  ONEFOLD_KERNEL void leave_norms(Size row) const {
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
        const double sum = sums.stages[r * of_row + t() % tile], of_vector = norm[r],
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
        const double sum = sums.stages[r * of_row + t() % tile];
        again = !answer(row + r, column, sum, exact(r));
      }
      if (m.any(again)) answer_again(row + r, first + t() % tile, again);
    }
  }

  ONEFOLD_KERNEL void run() const {
    const Size across = (answers.g.vectors + tile - 1) / tile,
               down = quotient_of(member.block, across), row = down * tile,
               column = (member.block - down * across) * tile;
    sums.run(row, column);
    leave_norms(row);
    answer_all(row, column);
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
