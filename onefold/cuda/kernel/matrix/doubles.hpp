// Products of short rows of floats by the f64 products of tensor cores, which round as fma does.
//
//   grid    a block for each tile of entries (double_tile.hpp)
//   error   of at most 32 bits each term is exact, and n additions err by at most n 2^-53 of the
//           product of both norms; none if that is at most 2^53 units. Of f64 second words err,
//           whose terms are below 2^-27 sqrt(n) of both norms
//   answer  decided if the error moves no rounding; others by a warp, which keeps the errors of
//           products and additions. What these leave open is noted
#pragma once

#include "onefold/core/exponential/rounding.hpp"
#include "onefold/cuda/kernel/matrix/answer.hpp"
#include "onefold/cuda/kernel/matrix/double_parts.hpp"
#include "onefold/cuda/kernel/matrix/double_vector.hpp"
#include "onefold/cuda/kernel/number/convert.hpp"

namespace onefold::kernel {

template <class T, OpSet ops, class M>
struct MatrixDoubles {
  using Tile = DoubleTile<T, M>;
  using Vector = DoubleVector<T>;
  static constexpr bool wide = Tile::wide;
  static constexpr unsigned rows = Tile::rows, columns = Tile::columns, of_row = Tile::of_row;
  // For products and sums below the least normal number.
  static constexpr double least_error = wide ? 0x1p-1000 : 0;

  M m;
  const Matrix<M, T>& in;
  const MatrixMember<M, T>& member;
  const MatrixAnswers<T, ops, M>& answers;
  Tile sums{m, answers.f, answers.g};
  // Of a vector, whose sums are those of a block each.
  Size parts = quotient_of(in.inner + in.padded - 1, in.padded);
  Shared<M, double> norm = shared<double, int{rows}, struct norms_of_rows_>(m);
  Shared<M, float> norm_bits = shared<float, int{rows}, struct bits_of_rows_>(m);
  Shared<M, int32_t> powers = shared<int32_t, int{rows}, struct powers_of_rows_>(m);
  // log2 of the number of elements, or more.
  float log_inner = log2_above(static_cast<double>(in.inner));

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL unsigned lane() const { return static_cast<unsigned>(m.lane()); }
  // The last vector for places behind it.
  ONEFOLD_KERNEL static Vector vector(const MatrixFactor<M, T>& of, Size v) {
    const Size at = v < of.vectors ? v : of.vectors - 1;
    return {of.bits[at], of.unit[at]};
  }

  // Leaves what is known of the tile's vectors in shared memory.
  ONEFOLD_KERNEL void leave_norms(Size row, Size column) const {
    if (m.branch(t() < rows)) {
      const Vector v = vector(answers.f, row + t());
      if constexpr (wide) sums.scale[t()] = v.scale();
      norm_bits[t()] = v.bits;
      norm[t()] = v.norm;
      powers[t()] = v.power;
    } else if (wide && m.branch(t() < rows + columns)) {
      sums.scale[t()] = vector(answers.g, column + t() - rows).scale();
    }
    m.sync();
  }
  // The error of a tile's sums of a row, or one, and a column, divided by the product of norms, and
  // of f64 by their sum.
  ONEFOLD_KERNEL double share_of_error() const {
    // Some more for roundings of the norms and of the error itself.
    if constexpr (!wide) return static_cast<double>(in.padded + 8) * 0x1.02p-53;
    // A second word is rounded 64 times, in eights that have 8, 7, .. times the error of one term,
    // and its terms are 2^-27 times an element at most: by Cauchy and Schwarz 8 sqrt(8) times
    // sqrt(64 + 36 + 16 + 4), or less, for each 32 elements, which is 43.9 sqrt(n) in all.
    return power_above(0, 0.5f * log_inner) * (44 * 0x1.08p-53 * 0x1p-27);
  }
  ONEFOLD_KERNEL static double error_of(double of_row, double of_column, double share) {
    return wide ? (of_row + of_column) * share + least_error : of_row * of_column * share;
  }
  // Whether all sums of products are exact.
  ONEFOLD_KERNEL bool is_exact(float both) const {
    return both + (wide ? 0.5f * log_inner - 25 : 0) <= 52.8f;
  }
  // Rounds a sum with an error, times 2^power; false: not proven.
  ONEFOLD_KERNEL static bool rounds(double sum, double rest, double error, int power,
                                    uint64_t* bits) {
    if constexpr (wide) {
      const double low = sum + (rest - error), high = sum + (rest + error);
      const uint64_t word = bit_cast<uint64_t>(low);
      const int exponent = static_cast<int>(word >> 52 & 2047) + power;
      *bits = word + (static_cast<uint64_t>(static_cast<int64_t>(power)) << 52);
      return low == high && low != 0 && exponent > 0 && exponent < 2047;
    } else {
      *bits = rounded_float<T>(sum - error);
      return sum != 0 && *bits == rounded_float<T>(sum + error);
    }
  }

  // Whether all products of an entry are 0.
  ONEFOLD_KERNEL bool has_no_product(Size row, Size column) const {
    const auto &f = answers.f, &g = answers.g;
    int64_t x = static_cast<int64_t>(row) * f.apart, y = static_cast<int64_t>(column) * g.apart;
    ONEFOLD_NO_UNROLL
    for (Size k = 0; k < in.inner; ++k, x += f.step, y += g.step) {
      const T one = f.x[x], other = g.x[y];
      if (f64_of(one) != 0 && f64_of(other) != 0) return false;
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
  // Adds products of an entry again, each by-th one, with the errors of each product and addition.
  ONEFOLD_KERNEL DoublePair add_again(Size row, Size column, unsigned begin, unsigned by) const {
    constexpr unsigned at_once = wide ? 8 : 16;
    const auto &f = answers.f, &g = answers.g;
    const double scale = wide ? vector(f, row).scale() : 1,
                 other_scale = wide ? vector(g, column).scale() : 1;
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
        const double a = k + u * by < in.inner ? f64_of(one[u]) * scale : 0,
                     b = f64_of(other[u]) * other_scale;
        const auto product = OneLane::product(a, b);
        sum = added(sum, {product.sum, product.rest});
      }
    }
    return sum;
  }
  ONEFOLD_KERNEL void round_again(Size row, Size column, const DoublePair& sum) const {
    const Vector a = vector(answers.f, row), b = vector(answers.g, column);
    // Errors of additions are at most 2^-53 of both norms; so many of them are added. They are
    // exact if they are at most 2^53 units.
    const auto n = static_cast<double>(in.inner + 8);
    const bool exact = a.bits + b.bits + log_inner + 3 <= 105;
    const double error = exact ? 0 : a.norm * b.norm * (n * n * 0x1.02p-105) + least_error;
    const auto whole = two_sum<OneLane>(sum.high, sum.low);
    uint64_t bits = 0;
    if (m.branch(exact && whole.sum == 0)) {
      answers.put(row, column, answers.zero_of(row, column), Status::ok);
    } else if (m.branch(round_pair(whole.sum, whole.rest, error, a.power + b.power, &bits))) {
      answers.put(row, column, bits, Status::ok);
    } else {
      answers.note(row, column);
    }
  }
  // The same of a pair whose second word may move the rounding of shorter types.
  ONEFOLD_KERNEL static bool round_pair(double sum, double rest, double error, int power,
                                        uint64_t* bits) {
    if constexpr (wide) return rounds(sum, rest, error, power, bits);
    return decided_bits<T>({sum, rest}, error, bits);
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
    const unsigned place = t() % columns;
    const bool there = first + place < answers.g.vectors;
    const Vector of_column = vector(answers.g, first + place);
    constexpr unsigned at_once = 4, step = multiply_threads / columns, each = rows / step;
    static_assert(each <= 32);
    const double share = share_of_error();
    const auto exact = [&](unsigned r) {
      const float of_bits = norm_bits[r];
      return is_exact(of_bits + of_column.bits);
    };
    const auto sum_of = [&](unsigned r) -> double { return sums.stages[r * of_row + place]; };
    uint32_t open = 0;
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; k < each; k += at_once) {
      uint64_t low[at_once];
      bool decided[at_once];
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < at_once; ++i) {
        const unsigned r = t() / columns + (k + i) * step;
        const double of_vector = norm[r],
                     error = exact(r) ? 0 : error_of(of_vector, of_column.norm, share);
        const float of_bits = norm_bits[r];
        const int32_t power = powers[r];
        auto sum = QuickPair<OneLane>{sum_of(r), 0};
        if constexpr (wide) sum = two_sum<OneLane>(sum.sum, sum_of(rows + r));
        decided[i] = rounds(sum.sum, sum.rest, error, power + of_column.power, &low[i]) &&
                     of_bits + of_column.bits < 1e6f;
      }
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < at_once; ++i) {
        const Size at = row + t() / columns + (k + i) * step;
        if (!m.branch(there && at < answers.f.vectors)) continue;
        if (m.branch(decided[i])) answers.put(at, first + place, low[i], Status::ok);
        open |= decided[i] ? 0 : 1u << (k + i);
      }
    }
    if (!m.any(open != 0)) return;
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; k < each; ++k) {
      const unsigned r = t() / columns + k * step;  // the same for a warp
      bool again = (open >> k & 1) != 0;
      if (m.branch(again)) {
        const double sum = sum_of(r) + (wide ? sum_of(rows + r) : 0);
        again = !answer(row + r, first + place, sum, exact(r));
      }
      if (m.any(again)) answer_again(row + r, first + place, again);
    }
  }

  ONEFOLD_KERNEL void run() const {
    const Size across = (answers.g.vectors + columns - 1) / columns,
               tile = quotient_of(member.block, parts), part = member.block - tile * parts,
               down = quotient_of(tile, across), row = down * rows,
               column = (tile - down * across) * columns, begin = part * in.padded;
    leave_norms(row, column);
    sums.run(row, column, begin, begin + in.padded < in.inner ? begin + in.padded : in.inner);
    if (parts != 1) {
      const Size tiles = quotient_of(member.blocks, parts);
      const DoubleParts<T, M> of_tile{m, sums, member.index * tiles + tile, parts};
      if (!of_tile.are_added(in.sums, answers.scratch, part)) return;
    }
    answer_all(row, column);
  }
};

template <class T, OpSet ops, class M>
ONEFOLD_KERNEL void doubles_of_matrix(M m, const Matrix<M, T>& in, const Scratch<M>& scratch,
                                      const Results<M, ops>& results) {
  if constexpr (Floating<T>) {
    const MatrixMember<M, T> member(m, in);
    const MatrixAnswers<T, ops, M> answers{m, in, member, scratch, results};
    MatrixDoubles<T, ops, M>{m, in, member, answers}.run();
  }
}

}  // namespace onefold::kernel
