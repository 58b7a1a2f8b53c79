// Writes the residues of a block's vectors: of the elements as integers in their vector's unit. Of
// long vectors it writes those of a part, and reduces the sums of the parts before.
//
//   tile     vectors of 128 elements, staged in shared memory, so that loads and stores are whole
//            lines whichever way the matrix lies
//   powers   for each shift s and modulus p the residues of 2^s, 2^(s + 8), 2^(s + 16) and
//            2^(s + 24), of the first factor divided by M / p; four bytes of an element's mantissa
//            are multiplied by them in one instruction
//   residue  of least magnitude: x - p floor((x + p / 2) / p)
#pragma once

#include "onefold/cuda/kernel/matrix/input.hpp"

namespace onefold::kernel {

// Returns the sum of the products of a's bytes, which are unsigned, and b's, which are signed.
ONEFOLD_KERNEL int32_t dot_bytes(uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  int32_t sum;
  asm("dp4a.u32.s32 %0, %1, %2, 0;" : "=r"(sum) : "r"(a), "r"(b));
  return sum;
#else
  int32_t sum = 0;
  for (unsigned k = 0; k < 32; k += 8) {
    sum += static_cast<int32_t>(a >> k & 0xff) * static_cast<int8_t>(b >> k & 0xff);
  }
  return sum;
#endif
}
// Returns a - b in each byte.
ONEFOLD_KERNEL uint32_t subtract_bytes(uint32_t a, uint32_t b) {
  constexpr uint32_t tops = 0x80808080u;
  return ((a | tops) - (b & ~tops)) ^ ((a ^ ~b) & tops);
}

template <class T, class M>
struct MatrixSplit {
  static constexpr int near = near_moduli<T>, most = wide_moduli<T>;
  static constexpr bool two_words = sizeof(T) == 8;  // of a mantissa
  static constexpr unsigned vectors = sizeof(T) == 8 ? 16 : 32, elements = matrix_tile,
                            pitch = elements + 1, of_shift = (most + 3) / 4 * 4;
  // A normal element with a greater shift makes its vector's norm too large for all moduli, and
  // then its residues are not used.
  static constexpr unsigned shifts =
      static_cast<unsigned>(residues::Moduli<most>::bits - significand_bits<T> + 2);
  static constexpr unsigned warps = matrix_threads / 32,
                            rows = (shifts + (two_words ? 32 : 0) + warps - 1) / warps * warps;

  M m;
  const Matrix<M, T>& in;
  const MatrixMember<M, T>& member;
  Shared<M, uint32_t> powers = shared<uint32_t, int{rows * of_shift}, struct powers_>(m);
  Shared<M, T> tile = shared<T, int{vectors * pitch}, struct tile_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }

  // A lane makes the powers of one modulus, a warp those of a range of shifts.
  ONEFOLD_KERNEL void make_powers(bool wide) const {
    const unsigned column = t() % 32;
    if (!m.branch(column < of_shift)) return;
    const int k = static_cast<int>(column) < most ? static_cast<int>(column) : most - 1;
    const uint32_t p = residues::modulus(k), inverse = residues::inverse_of(p);
    uint32_t v = 1;
    if (in.side == 0) {
      v = wide ? residues::moduli<most>.divisor[k]
               : residues::moduli<near>.divisor[k < near ? k : near - 1];
    }
    constexpr unsigned chunk = rows / warps;
    const unsigned begin = t() / 32 * chunk;
    ONEFOLD_NO_UNROLL
    for (unsigned s = 0; s < begin; ++s) v = residues::below(2 * v, p);
    ONEFOLD_NO_UNROLL
    for (unsigned s = begin; s < begin + chunk; ++s) {
      uint32_t all = 0, power = v;
      ONEFOLD_UNROLL
      for (unsigned byte = 0; byte < 32; byte += 8) {
        all |= (static_cast<uint32_t>(residues::signed_residue(power, p)) & 0xffu) << byte;
        power = residues::below(residues::reduce(256 * power, p, inverse), p);
      }
      powers[s * of_shift + column] = all;
      v = residues::below(2 * v, p);
    }
  }

  ONEFOLD_KERNEL void load(const MatrixFactor<M, T>& f, Size vector, Size element) const {
    // A thread's elements are as far apart as each other.
    const bool along = f.along();
    constexpr unsigned at_once = 8, all = vectors * elements / matrix_threads;
    const unsigned first = along ? t() / elements : t() % vectors,
                   offset = along ? t() % elements : t() / vectors,
                   down = along ? matrix_threads / elements : 0,
                   across = along ? 0 : matrix_threads / vectors;
    const auto left = [](Size end, Size begin, unsigned most) {
      const Size n = end > begin ? end - begin : 0;
      return n < most ? static_cast<unsigned>(n) : most;
    };
    const unsigned rows = left(f.count, vector, vectors),
                   columns = left(in.inner, in.begin + element, elements);
    int64_t from = static_cast<int64_t>(f.first + vector + first) * f.apart +
                   static_cast<int64_t>(in.begin + element + offset) * f.step;
    const int64_t next = int64_t{down} * f.apart + int64_t{across} * f.step;
    ONEFOLD_NO_UNROLL
    for (unsigned i = 0; i < all; i += at_once) {
      T x[at_once];
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u, from += next) {
        x[u] = T{};
        const unsigned v = first + (i + u) * down, k = offset + (i + u) * across;
        if (m.branch(v < rows && k < columns)) x[u] = f.x[from];
      }
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        tile[(first + (i + u) * down) * pitch + offset + (i + u) * across] = x[u];
      }
    }
  }

  // An element as sign * mantissa * 2^shift units.
  struct Integer {
    uint32_t low, high;
    unsigned shift;
    int32_t sign;
  };
  ONEFOLD_KERNEL static Integer integer_of(T x, int unit) {
    const Numeric e = numeric(x);
    uint64_t mantissa = e.mantissa;
    const int above = unit_of<T> + e.shift - unit;
    if (above < 0) mantissa = above > -64 ? mantissa >> -above : 0;  // these bits are 0
    unsigned shift = above < 0 ? 0 : static_cast<unsigned>(above);
    shift = shift < shifts ? shift : shifts - 1;
    return {static_cast<uint32_t>(mantissa), static_cast<uint32_t>(mantissa >> 32), shift,
            e.negative ? -1 : 1};
  }
  // Writes the residues of four elements.
  ONEFOLD_KERNEL void split(const MatrixFactor<M, T>& f, Size vector, Size element, int unit,
                            unsigned at, bool wide) const {
    Integer v[4];
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < 4; ++j) {
      const T x = tile[at + j];
      v[j] = integer_of(x, unit);
    }
    const auto to = m.template as<uint32_t>(f.residues) + (vector * in.padded + element) / 4;
    const Size of_modulus = f.of_modulus / 4;
    const auto four_powers = m.as_vectors(powers);
    ONEFOLD_UNROLL
    for (int first = 0; first < most; first += 4) {
      if (first >= near && !wide) break;
      Vector16<uint32_t> power[4], above[4];
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < 4; ++j) {
        const unsigned from = (v[j].shift * of_shift + static_cast<unsigned>(first)) / 4;
        power[j] = four_powers[from];
        if constexpr (two_words) above[j] = four_powers[from + 32 * of_shift / 4];
      }
      ONEFOLD_UNROLL
      for (int k = 0; k < 4; ++k) {
        const int u = first + k;
        if (u >= most || (u >= near && !wide)) continue;
        const uint32_t p = residues::modulus(u), half = p / 2;
        uint32_t all = 0;
        ONEFOLD_UNROLL
        for (unsigned j = 0; j < 4; ++j) {
          int32_t x = dot_bytes(v[j].low, power[j].v[k]);
          if constexpr (two_words) x += dot_bytes(v[j].high, above[j].v[k]);
          const auto lifted = static_cast<uint32_t>(x * v[j].sign) + half + 2048 * p;
          all |= residues::reduce_short(lifted, p) << 8 * j;
        }
        to[static_cast<Size>(u) * of_modulus] = subtract_bytes(all, half * 0x01010101u);
      }
    }
  }

  // Replaces each sum of the block by its residue of least magnitude, so that others may be added.
  ONEFOLD_KERNEL void reduce_sums(int moduli) const {
    const auto padded = [](Size n) { return (n + matrix_tile - 1) / matrix_tile * matrix_tile; };
    const Size columns = padded(in.factor[1].count), all = padded(in.factor[0].count) * columns;
    ONEFOLD_NO_UNROLL
    for (Size i = member.block * matrix_threads + t(); i < all;
         i += member.blocks * matrix_threads) {
      const Size row = quotient_of(i, columns);
      const auto sums = member.sums() + (row * in.of_row + i - row * columns);
      ONEFOLD_NO_UNROLL
      for (int k = 0; k < moduli; ++k) {
        const int32_t sum = sums[static_cast<Size>(k) * in.of_modulus];
        sums[static_cast<Size>(k) * in.of_modulus] =
            residues::residue_of(sum, residues::modulus(k));
      }
    }
  }

  ONEFOLD_KERNEL void run() const {
    const uint32_t mode = member.mode();
    if (mode == other_walk) return;
    const bool wide = mode == wide_mode;
    if (in.adds && in.side == 1) reduce_sums(wide ? most : near);
    const MatrixFactor<M, T> f = member.factor(in.side);
    make_powers(wide);
    const Size across = in.padded / elements,
               tiles = (f.count + matrix_tile - 1) / matrix_tile * (matrix_tile / vectors) * across;
    ONEFOLD_NO_UNROLL
    for (Size i = member.block; i < tiles; i += member.blocks) {
      const Size vector = i / across * vectors, element = i % across * elements;
      m.sync();
      load(f, vector, element);
      m.sync();
      ONEFOLD_NO_UNROLL
      for (unsigned v = t() / 32; v < vectors; v += warps) {
        const Size of = vector + v;
        const int unit = m.branch(of < f.count) ? static_cast<int>(f.unit[f.first + of]) : 0;
        const unsigned of_lane = 4 * static_cast<unsigned>(m.lane());
        split(f, of, element + of_lane, unit, v * pitch + of_lane, wide);
      }
    }
  }
};

template <class T, class M>
ONEFOLD_KERNEL void split_matrix(M m, const Matrix<M, T>& in) {
  const MatrixMember<M, T> member(m, in);
  MatrixSplit<T, M>{m, in, member}.run();
}

}  // namespace onefold::kernel
