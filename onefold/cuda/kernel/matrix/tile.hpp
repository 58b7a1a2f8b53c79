// Sums of products of residues of a tile, by tensor cores.
//
//   tile   of a block of `down` x `across` warps; a warp has i x j products of 16 x 8 sums in
//          registers (mma.m16n8k32)
//   stage  64 elements of both factors' vectors in shared memory; the next stage is on its way
//          meanwhile. Chunks of 16 bytes are permuted, so that a warp's loads meet all banks
#pragma once

#include "onefold/cuda/kernel/matrix/input.hpp"
#include "onefold/cuda/kernel/number/packed.hpp"

namespace onefold::kernel {

// c += a b for 16 x 32 and 32 x 8 int8: lane 4 g + t has c[g][2 t], c[g][2 t + 1], c[g + 8][2 t],
// c[g + 8][2 t + 1]; four elements from 4 t on of a's rows g and g + 8, then from 16 + 4 t on; and
// the same of b's column g.
template <class M>
ONEFOLD_KERNEL void multiply_bytes(M m, int32_t (&c)[4], const uint32_t (&a)[4],
                                   const uint32_t (&b)[2]) {
#if defined(__CUDA_ARCH__)
  static_cast<void>(m);
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  const auto dot = [](uint32_t x, uint32_t y) {
    return static_cast<uint32_t>(dot_bytes(int32_t{0}, x, y));
  };
  const unsigned lane = static_cast<unsigned>(m.lane()), g = lane / 4, t = lane % 4;
  for (unsigned k = 0; k < 4; ++k) {
    uint32_t row[4], column[2][2];
    for (unsigned i = 0; i < 4; ++i) row[i] = m.shuffle(a[i], 4 * g + k);
    for (unsigned n = 0; n < 2; ++n) {
      for (unsigned i = 0; i < 2; ++i) column[n][i] = m.shuffle(b[i], 4 * (2 * t + n) + k);
    }
    for (unsigned i = 0; i < 4; ++i) {
      c[i] = static_cast<int32_t>(static_cast<uint32_t>(c[i]) + dot(row[i / 2], column[i % 2][0]) +
                                  dot(row[2 + i / 2], column[i % 2][1]));
    }
  }
#endif
}

template <class M, unsigned i, unsigned j, unsigned down, unsigned across>
struct ByteTile {
  static constexpr unsigned rows = 16 * i * down, columns = 8 * j * across,
                            threads = 32 * down * across;
  static constexpr unsigned chunks = 4, elements = 16 * chunks;  // of a stage
  static_assert(rows * chunks % threads == 0 && columns * chunks % threads == 0);
  using Chunk = Vector16<uint8_t>;
  using Sums = int32_t[i][j][4];

  M m;
  Shared<M, Chunk> a = shared<Chunk, 2 * int{rows * chunks}, struct stages_of_a_>(m);
  Shared<M, Chunk> b = shared<Chunk, 2 * int{columns * chunks}, struct stages_of_b_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL unsigned lane() const { return static_cast<unsigned>(m.lane()); }
  // The first row and column of a warp.
  ONEFOLD_KERNEL unsigned row() const { return t() / 32 / across * 16 * i; }
  ONEFOLD_KERNEL unsigned column() const { return t() / 32 % across * 8 * j; }
  // The row and column of a sum, from the tile's.
  ONEFOLD_KERNEL unsigned row_of(unsigned k, unsigned e) const {
    return row() + 16 * k + e / 2 * 8 + lane() / 4;
  }
  ONEFOLD_KERNEL unsigned column_of(unsigned k, unsigned e) const {
    return column() + 8 * k + lane() % 4 * 2 + e % 2;
  }
  ONEFOLD_KERNEL static unsigned place_of(unsigned vector, unsigned chunk) {
    return vector * chunks + (chunk ^ (vector / 2 % 4));
  }

  // Queues the copies of a stage of the tile's vectors, which are so many chunks apart.
  ONEFOLD_KERNEL void copy(unsigned to, In<M, Chunk> of_a, In<M, Chunk> of_b, Size apart) const {
    const auto put = [&](Shared<M, Chunk> into, unsigned vectors, In<M, Chunk> from) {
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < vectors * chunks; k += threads) {
        const unsigned vector = (k + t()) / chunks, chunk = t() % chunks;
        m.copy_async(into + (to * vectors * chunks + place_of(vector, chunk)),
                     from + (vector * apart + chunk));
      }
    };
    put(a, rows, of_a);
    put(b, columns, of_b);
    m.commit_copies();
  }

  // Adds the products of a stage.
  ONEFOLD_KERNEL void add(unsigned from, Sums& c) const {
    // Rows and columns of warps are multiples of 8, so a lane's chunks are permuted alike for all.
    constexpr unsigned words = 4 * chunks;  // of a vector
    const unsigned g = lane() / 4, word = lane() % 4;
    const auto of = [&](Shared<M, Chunk> stages, unsigned vector, unsigned chunk) {
      return m.template as<uint32_t>(stages) + (vector * words + 4 * (chunk ^ (g / 2 % 4)) + word);
    };
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < chunks; k += 2) {
      uint32_t of_row[i][4], of_column[j][2];
      const unsigned row_of_lane = from * rows + row() + g,
                     column_of_lane = from * columns + column() + g;
      const Shared<M, uint32_t> left[2] = {of(a, row_of_lane, k), of(a, row_of_lane, k + 1)},
                                right[2] = {of(b, column_of_lane, k), of(b, column_of_lane, k + 1)};
      ONEFOLD_UNROLL
      for (unsigned v = 0; v < i; ++v) {
        ONEFOLD_UNROLL
        for (unsigned w = 0; w < 4; ++w) {
          of_row[v][w] = left[w / 2][(16 * v + w % 2 * 8) * words];
        }
      }
      ONEFOLD_UNROLL
      for (unsigned v = 0; v < j; ++v) {
        ONEFOLD_UNROLL
        for (unsigned w = 0; w < 2; ++w) {
          of_column[v][w] = right[w][8 * v * words];
        }
      }
      ONEFOLD_UNROLL
      for (unsigned v = 0; v < i; ++v) {
        ONEFOLD_UNROLL
        for (unsigned w = 0; w < j; ++w) multiply_bytes(m, c[v][w], of_row[v], of_column[w]);
      }
    }
  }

  // Waits for the stage that was queued last, or for the one before it.
  ONEFOLD_KERNEL void wait(bool last) const {
    if (last) {
      m.template wait_copies<0>();
    } else {
      m.template wait_copies<1>();
    }
    m.sync();
  }
};

}  // namespace onefold::kernel
