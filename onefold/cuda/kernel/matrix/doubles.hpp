// Products of floats of at most 32 bits by the f64 products of tensor cores, which round as fma does:
// each term is exact, and n additions err by at most n 2^-53 of the product of both norms.
//
//   grid    a block for each tile of 64 x 64 entries, whose four warps have 32 x 32 in registers
//   stage   16 elements of the tile's vectors as f64 in shared memory, padded so that a warp's loads
//           meet all banks; the next ones are on their way to registers meanwhile
//   answer  exact, if both norms are at most 2^53 units; else decided if the error moves no rounding;
//           others are noted
#pragma once

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
  ONEFOLD_KERNEL void load(const Size (&vector)[2], Size begin, T (&some)[2][loads]) const {
    ONEFOLD_UNROLL
    for (unsigned side = 0; side < 2; ++side) {
      const MatrixFactor<M, T>& f = factor(side);
      const Size first = vector[side] + vector_of(f.along()), k = begin + depth_of(f.along());
      const auto x = f.x + static_cast<int64_t>(first) * f.apart + static_cast<int64_t>(k) * f.step;
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < loads; ++u) {
        some[side][u] = T{};
        if (m.branch(k < in.inner && first + 8 * u < f.vectors)) {
          some[side][u] = x[static_cast<int64_t>(8 * u) * f.apart];
        }
      }
    }
  }
  ONEFOLD_KERNEL void store(unsigned stage, const T (&some)[2][loads]) const {
    ONEFOLD_UNROLL
    for (unsigned side = 0; side < 2; ++side) {
      const bool along = factor(side).along();
      const unsigned at =
          (2 * stage + side) * tile * apart + vector_of(along) * apart + depth_of(along);
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < loads; ++u) {
        stages[at + 8 * u * apart] = static_cast<double>(f32_of(some[side][u]));
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
    if (m.branch(t() < tile && row + t() < answers.f.vectors)) {
      const float bits = answers.f.bits[row + t()];
      const int32_t unit = answers.f.unit[row + t()];
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
  //   error  of the sum, at most; 0: it is exact
  ONEFOLD_KERNEL void answer(Size row, Size column, double sum, double error) const {
    const uint64_t low = rounded_float<T>(sum - error), high = rounded_float<T>(sum + error);
    if (sum != 0 && low == high) {
      answers.put(row, column, low, Status::ok);
    } else if (sum == 0 && (error == 0 || has_no_product(row, column))) {
      answers.put(row, column, answers.zero_of(row, column), Status::ok);
    } else {
      answers.note(row, column);
    }
  }

  ONEFOLD_KERNEL void run() const {
    const Size across = (answers.g.vectors + tile - 1) / tile,
               down = quotient_of(member.block, across);
    const Size first[2] = {down * tile, (member.block - down * across) * tile};
    double c[2][4][4] = {};
    T some[2][loads];
    load(first, 0, some);
    unsigned now = 0;
    ONEFOLD_NO_UNROLL
    for (Size k = 0; k < in.inner; k += depth, now = 1 - now) {
      store(now, some);
      if (k + depth < in.inner) load(first, k + depth, some);
      m.sync();
      add(now, c);
    }
    leave(first[0], c);
    const Size column = first[1] + t() % tile;
    if (!m.branch(column < answers.g.vectors)) return;
    const float bits = answers.g.bits[column];
    const int32_t unit = answers.g.unit[column];
    // Some more for roundings of the norms and of the error itself.
    const double share =
        bits < 1e6f ? power_above(unit, bits) * (static_cast<double>(in.inner + 8) * 0x1.02p-53)
                    : 0;
    ONEFOLD_NO_UNROLL
    for (unsigned r = t() / tile; r < tile && first[0] + r < answers.f.vectors;
         r += multiply_threads / tile) {
      const double sum = stages[r * of_row + t() % tile], of_vector = norm[r];
      const float of_bits = norm_bits[r], both = of_bits + bits;
      if (m.branch(both < 1e6f)) {
        answer(first[0] + r, column, sum, both <= most_exact ? 0 : of_vector * share);
      } else {
        answers.put_special(first[0] + r, column, both);
      }
    }
  }
};

template <class T, OpSet ops, class M>
ONEFOLD_KERNEL void doubles_of_matrix(M m, const Matrix<M, T>& in, const Scratch<M>& scratch,
                                      const Results<M, ops>& results) {
  if constexpr (Floating<T> && sizeof(T) <= 4) {
    const MatrixMember<M, T> member(m, in);
    if (member.mode() == other_walk) return;
    const MatrixAnswers<T, ops, M> answers{m, in, member, scratch, results};
    MatrixDoubles<T, ops, M>{m, in, member, answers}.run();
  }
}

}  // namespace onefold::kernel
