// Products of residues: sums of products of int8 by tensor cores, for each modulus.
//
//   grid   a block of 4 warps for each tile of 128 x 128 sums and each modulus
//   warp   64 x 64 sums in registers, as 4 x 8 products of 16 x 8 sums (mma.m16n8k32)
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

template <class T, class M>
struct MatrixMultiply {
  static constexpr unsigned chunks = 4, stage = matrix_tile * chunks;  // of 16 bytes
  using Chunk = Vector16<uint8_t>;

  M m;
  const Matrix<M, T>& in;
  Shared<M, Chunk> a = shared<Chunk, 2 * int{stage}, struct stages_of_a_>(m);
  Shared<M, Chunk> b = shared<Chunk, 2 * int{stage}, struct stages_of_b_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL static unsigned place_of(unsigned vector, unsigned chunk) {
    return vector * chunks + (chunk ^ (vector / 2 % 4));
  }

  // Queues the copies of 16 * chunks elements of both tiles.
  ONEFOLD_KERNEL void copy(unsigned to, In<M, Chunk> of_a, In<M, Chunk> of_b, Size first) const {
    const Size of_vector = in.padded / 16;
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < stage; i += multiply_threads) {
      const unsigned vector = (i + t()) / chunks, chunk = t() % chunks;
      const Size from = vector * of_vector + first + chunk;
      const unsigned at = to * stage + place_of(vector, chunk);
      m.copy_async(a + at, of_a + from);
      m.copy_async(b + at, of_b + from);
    }
    m.commit_copies();
  }

  // Adds the products of a stage.
  ONEFOLD_KERNEL void add(unsigned from, int32_t (&c)[4][8][4]) const {
    const unsigned lane = static_cast<unsigned>(m.lane()), g = lane / 4, word = lane % 4,
                   row = t() / 64 * 64, column = t() / 32 % 2 * 64;
    const auto words_of_a = m.template as<uint32_t>(a), words_of_b = m.template as<uint32_t>(b);
    const auto at = [&](unsigned vector, unsigned chunk) {
      return (from * stage + place_of(vector, chunk)) * 4 + word;
    };
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < chunks; k += 2) {
      uint32_t rows[4][4], columns[8][2];
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        ONEFOLD_UNROLL
        for (unsigned j = 0; j < 4; ++j) {
          rows[i][j] = words_of_a[at(row + 16 * i + j % 2 * 8 + g, k + j / 2)];
        }
      }
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 8; ++i) {
        ONEFOLD_UNROLL
        for (unsigned j = 0; j < 2; ++j) {
          columns[i][j] = words_of_b[at(column + 8 * i + g, k + j)];
        }
      }
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        ONEFOLD_UNROLL
        for (unsigned j = 0; j < 8; ++j) multiply_bytes(m, c[i][j], rows[i], columns[j]);
      }
    }
  }

  ONEFOLD_KERNEL void run() const {
    const MatrixMember<M, T> member(m, in);
    const uint32_t mode = member.mode();
    if (mode == other_walk || (in.if_wide && mode == near_mode)) return;
    const Size across = (in.factor[1].count + matrix_tile - 1) / matrix_tile,
               down = (in.factor[0].count + matrix_tile - 1) / matrix_tile;
    const Size tile = member.block % (across * down),
               modulus = in.first_modulus + member.block / (across * down);
    const Size row = tile / across * matrix_tile, column = tile % across * matrix_tile;
    const auto tile_of = [&](unsigned side, Size vector) -> In<M, Chunk> {
      const auto& f = in.factor[side];
      return m.template as<Chunk>(f.residues) +
             (modulus * f.of_modulus + member.index * f.of_member + vector * in.padded) / 16;
    };
    const In<M, Chunk> of_a = tile_of(0, row), of_b = tile_of(1, column);
    int32_t c[4][8][4] = {};
    const Size end = in.padded / 16;
    copy(0, of_a, of_b, 0);
    unsigned now = 0;
    ONEFOLD_NO_UNROLL
    for (Size k = 0; k < end; k += chunks) {
      if (k + chunks < end) {
        copy(1 - now, of_a, of_b, k + chunks);
        m.template wait_copies<1>();
      } else {
        m.template wait_copies<0>();
      }
      m.sync();
      add(now, c);
      m.sync();
      now = 1 - now;
    }
    const unsigned lane = static_cast<unsigned>(m.lane());
    const Size first_row = row + t() / 64 * 64 + lane / 4,
               first_column = column + t() / 32 % 2 * 64 + lane % 4 * 2;
    const auto to =
        member.sums() + (modulus * in.of_modulus + first_row * in.of_row + first_column);
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < 8; ++j) {
        ONEFOLD_UNROLL
        for (unsigned e = 0; e < 4; ++e) {
          const Size at = (16 * i + e / 2 * 8) * in.of_row + 8 * j + e % 2;
          if (in.adds) {
            const int32_t before = to[at];
            c[i][j][e] = static_cast<int32_t>(static_cast<uint32_t>(c[i][j][e]) +
                                              static_cast<uint32_t>(before));
          }
          to[at] = c[i][j][e];
        }
      }
    }
  }
};

template <class T, class M>
ONEFOLD_KERNEL void multiply_matrix(M m, const Matrix<M, T>& in) {
  MatrixMultiply<T, M>{m, in}.run();
}

}  // namespace onefold::kernel
