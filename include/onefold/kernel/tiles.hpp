// How an array is cut for warps: a head up to the first line of the cache, full tiles, and a tail.
// A tile is what the 32 lanes of a warp load at once, `U` vectors of 16 bytes a lane.
//
//   n        any, to 2^40
//   pointer  aligned to its element
//   tile id  0: the head; 1 + t: full tile t; tiles + 1: the tail. Ids rise with indices
#pragma once

#include "onefold/kernel/packed.hpp"

namespace onefold::kernel {

// A lane's part of a tile, as 32-bit words.
template <class T, int U>
struct Chunk {
  static constexpr int words = 4 * U;
  static constexpr int elements = 16 * U / sizeof(T);
  static constexpr int vector = 16 / sizeof(T);
  uint32_t w[words];

  // Element k as bits of its type.
  ONEFOLD_KERNEL bits_of<T> bits(int k) const {
    if constexpr (sizeof(T) == 8) {
      return static_cast<uint64_t>(w[2 * k + 1]) << 32 | w[2 * k];
    } else {
      constexpr int in_word = 4 / sizeof(T);
      return static_cast<bits_of<T>>(w[k / in_word] >> (k % in_word * 8 * sizeof(T)));
    }
  }
  ONEFOLD_KERNEL T element(int k) const { return bit_cast<T>(bits(k)); }

  // Of floats: the word that holds the sign and the exponent; halves as f32.
  ONEFOLD_KERNEL uint32_t high(int k) const {
    if constexpr (dtype_of<T> == DType::f16) {
      return bit_cast<uint32_t>(f32_of(element(k)));
    } else if constexpr (dtype_of<T> == DType::bf16) {
      return k % 2 == 0 ? w[k / 2] << 16 : w[k / 2] & 0xffff0000u;
    } else {
      static_assert(sizeof(T) >= 4);
      return sizeof(T) == 8 ? w[2 * k + 1] : w[k];
    }
  }
  // Orders magnitudes where it matters, at a threshold of exponents; 0 is the greatest of all, and
  // a tiny f64 whose high word is 0 the least.
  ONEFOLD_KERNEL uint32_t magnitude_key(int k) const {
    return high(k) * 2 - (sizeof(T) <= 4 || w[2 * k] == 0 ? 1 : 0);
  }
  ONEFOLD_KERNEL void set(int k, bits_of<T> b) {
    if constexpr (sizeof(T) == 8) {
      w[2 * k] = static_cast<uint32_t>(b);
      w[2 * k + 1] = static_cast<uint32_t>(b >> 32);
    } else {
      constexpr int in_word = 4 / sizeof(T), width = 8 * sizeof(T);
      const uint32_t mask = (~0u >> (32 - width)) << k % in_word * width;
      w[k / in_word] = (w[k / in_word] & ~mask) | static_cast<uint32_t>(b) << k % in_word * width;
    }
  }
};

// Sets the elements of `out` to -0: it adds nothing, and is no zero that tells against a sum of -0.
template <class T, int U>
ONEFOLD_KERNEL void take_out(Chunk<T, U>& c, uint32_t out) {
  if (out == 0) return;
  ONEFOLD_UNROLL
  for (int k = 0; k < Chunk<T, U>::elements; ++k) {
    if ((out >> k & 1) == 0) continue;
    if constexpr (sizeof(T) == 8) {
      c.w[2 * k] = 0;
      c.w[2 * k + 1] = 0x80000000u;
    } else {
      c.w[k] = 0x80000000u;
    }
  }
}
// Whether all elements, of a float type, are -0.
template <class T, int U>
ONEFOLD_KERNEL bool only_negative_zeros(const Chunk<T, U>& c) {
  uint32_t other = 0;
  ONEFOLD_UNROLL
  for (int k = 0; k < Chunk<T, U>::words; ++k) {
    const bool high = sizeof(T) < 8 || k % 2 == 1;
    other |= c.w[k] ^ (!high ? 0 : sizeof(T) == 2 ? 0x80008000u : 0x80000000u);
  }
  return other == 0;
}

// Of halves: the largest magnitude, and the least less 1 of those that are not 0, or 0xffff.
struct EndsOfHalves {
  uint32_t top, bottom;
};
template <class T, int U, class M>
ONEFOLD_KERNEL EndsOfHalves ends_of_halves(M m, const Chunk<T, U>& c) {
  uint32_t most = 0, least = ~0u;
  ONEFOLD_UNROLL
  for (int k = 0; k < c.words; ++k) {
    const uint32_t u = c.w[k] & 0x7fff7fffu;
    most = m.max_halves(most, u);
    least = min_of_predecessor(u, least);
  }
  return {greater_half(most), smaller_half(least)};
}

// Whether the product of elements k, which are numbers, is -0.
template <class T, int U>
ONEFOLD_KERNEL bool is_negative_zero(const Chunk<T, U>& x, const Chunk<T, U>& y, int k) {
  const bool zero = x.magnitude_key(k) == ~0u || y.magnitude_key(k) == ~0u;
  return zero && (x.high(k) ^ y.high(k)) >> 31 != 0;
}

struct Range {
  Size begin = 0, end = 0;
};

template <class T, int U>
struct Tiles {
  static constexpr int vector = 16 / sizeof(T);
  static constexpr int size = 32 * U * vector;  // elements of a full tile
  static constexpr unsigned line = 128;         // bytes

  Size n = 0, head = 0, full = 0;

  // misaligned: bytes past the last line's beginning.
  ONEFOLD_KERNEL Tiles(Size elements, unsigned misaligned) : n(elements) {
    head = (line - misaligned) % line / sizeof(T);
    if (head > n) head = n;
    full = (n - head) / size;
  }
  ONEFOLD_KERNEL Size tail() const { return head + full * size; }
  ONEFOLD_KERNEL Size ragged() const { return n - full * size; }
  // The j-th element that is in no full tile, j < ragged().
  ONEFOLD_KERNEL Size ragged_index(Size j) const { return j < head ? j : j + full * size; }
  ONEFOLD_KERNEL uint32_t ragged_id(Size j) const {
    return j < head ? 0 : static_cast<uint32_t>(full + 1);
  }
  // Elements of a tile by its id.
  ONEFOLD_KERNEL Range of(uint32_t id) const {
    if (id == 0) return {0, head};
    if (id <= full) return {head + (id - 1) * Size{size}, head + id * Size{size}};
    return {tail(), n};
  }
  // Index of element k of a lane's chunk of full tile t.
  ONEFOLD_KERNEL Size index(Size t, unsigned lane, int k) const {
    return head + t * size + static_cast<Size>(k / vector * 32 * vector) + lane * vector +
           static_cast<Size>(k % vector);
  }
};

// A lane's part of full tile t; x begins at the first full tile.
template <class T, int U, class M, class Index>
ONEFOLD_KERNEL Chunk<T, U> load_chunk(M m, In<M, T> x, Index t, unsigned lane) {
  Chunk<T, U> c;
  const auto vectors = m.by_vector(x);
  ONEFOLD_UNROLL
  for (int u = 0; u < U; ++u) {
    const auto v = m.stream(vectors, (t * U + static_cast<Index>(u)) * 32 + lane);
    const auto four = bit_cast<Vector16<uint32_t>>(v);
    ONEFOLD_UNROLL
    for (int j = 0; j < 4; ++j) c.w[4 * u + j] = four.v[j];
  }
  return c;
}

// Elements one by one, of an array that vectors may not have.
template <class T, int U, class M>
ONEFOLD_KERNEL_COLD Chunk<T, U> load_by_element(M m, In<M, T> y, Size t, unsigned lane) {
  static_cast<void>(m);
  Chunk<T, U> c{};
  constexpr int vector = 16 / sizeof(T), in_word = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
  ONEFOLD_UNROLL
  for (int k = 0; k < Chunk<T, U>::elements; ++k) {
    const T x = y[(t * U + static_cast<Size>(k / vector)) * 32 * vector + lane * vector +
                  static_cast<Size>(k % vector)];
    const auto bits = bit_cast<bits_of<T>>(x);
    if constexpr (sizeof(T) == 8) {
      c.w[2 * k] = static_cast<uint32_t>(bits);
      c.w[2 * k + 1] = static_cast<uint32_t>(bits >> 32);
    } else {
      c.w[k / in_word] |= static_cast<uint32_t>(bits) << (k % in_word * 8 * sizeof(T));
    }
  }
  return c;
}

// How counted sums (counted.hpp) cut an array: parts of as many vectors as a full tile has, of
// which the last may lack some, and one more for the elements beside the vectors.
template <class T, int U, class Index>
struct Parts {
  static constexpr int vector = 16 / sizeof(T);
  static constexpr unsigned size = 32 * U;  // vectors of a part

  unsigned head, left;  // elements before the first vector, and beside all vectors
  Index vectors;
  uint32_t full, of_vectors, all;  // parts: fewer than 2^31

  ONEFOLD_KERNEL Parts(Index n, unsigned misaligned) {
    head = (16 - misaligned) % 16 / sizeof(T);
    if (head > n) head = static_cast<unsigned>(n);
    vectors = (n - head) / vector;
    left = static_cast<unsigned>(n) - static_cast<unsigned>(vectors) * vector;
    cut();
  }
  // The same array in parts of another size.
  template <int V>
  ONEFOLD_KERNEL explicit Parts(const Parts<T, V, Index>& other)
      : head(other.head), left(other.left), vectors(other.vectors) {
    cut();
  }

 private:
  ONEFOLD_KERNEL void cut() {
    full = static_cast<uint32_t>(vectors / size);
    of_vectors = full + (static_cast<unsigned>(vectors) % size != 0 ? 1 : 0);
    all = of_vectors + (left != 0 ? 1 : 0);
  }
};
// A lane's elements of part i that is not full. What it lacks is what no sum notices: -0, or 0 of
// integers.
template <class T, int U, class M, class Index>
ONEFOLD_KERNEL Chunk<T, U> load_last(M m, In<M, T> x, const Parts<T, U, Index>& parts, uint32_t i,
                                     unsigned lane) {
  Chunk<T, U> c;
  ONEFOLD_UNROLL
  for (int j = 0; j < c.words; ++j) {
    c.w[j] = !Floating<T>                   ? 0
             : sizeof(T) == 2               ? 0x80008000u
             : sizeof(T) == 4 || j % 2 != 0 ? 0x80000000u
                                            : 0;
  }
  if (i < parts.of_vectors) {
    const auto vectors = m.by_vector(x + parts.head);
    const Index begin = Index{i} * parts.size;
    const auto last = static_cast<unsigned>(parts.vectors - begin);
    ONEFOLD_UNROLL
    for (int u = 0; u < U; ++u) {
      const unsigned j = static_cast<unsigned>(u) * 32 + lane;
      if (j >= last) continue;
      const auto four = bit_cast<Vector16<uint32_t>>(m.stream(vectors, begin + j));
      ONEFOLD_UNROLL
      for (int k = 0; k < 4; ++k) c.w[4 * u + k] = four.v[k];
    }
  } else if (lane < parts.left) {
    const Index beside = parts.vectors * parts.vector;
    const T one = x[lane < parts.head ? lane : lane + beside];
    c.set(0, bit_cast<bits_of<T>>(one));
  }
  return c;
}

// A tile that begins `shift` bytes past that of the chunks c: what a lane lacks comes from the next
// lane, and of the last lane from the vector that follows the tile, which lane 0 has.
template <class T, int U, class M>
ONEFOLD_KERNEL void shift_chunk(M m, Chunk<T, U>& c, const Vector16<uint32_t>& beyond,
                                unsigned lane, unsigned shift) {
  // Words of the next vector that may be wanted.
  constexpr int more = sizeof(T) == 8 ? 2 : sizeof(T) == 4 ? 3 : 4;
  ONEFOLD_UNROLL
  for (int u = 0; u < U; ++u) {
    uint32_t w[8] = {};
    ONEFOLD_UNROLL
    for (int j = 0; j < 4; ++j) {
      w[j] = c.w[4 * u + j];
      if (j < more) {
        const uint32_t after = u + 1 < U ? c.w[4 * u + 4 + j] : beyond.v[j];
        w[4 + j] = m.shuffle(lane == 0 ? after : w[j], (lane + 1) % 32);
      }
    }
    if (shift & 8) {
      ONEFOLD_UNROLL
      for (int j = 0; j < 6; ++j) w[j] = w[j + 2];
    }
    if (sizeof(T) < 8 && (shift & 4)) {
      ONEFOLD_UNROLL
      for (int j = 0; j < 7; ++j) w[j] = w[j + 1];
    }
    ONEFOLD_UNROLL
    for (int j = 0; j < 4; ++j) {
      const uint64_t two = static_cast<uint64_t>(w[j + 1]) << 32 | w[j];
      c.w[4 * u + j] = sizeof(T) < 4 ? static_cast<uint32_t>(two >> (shift % 4 * 8)) : w[j];
    }
  }
}

// The same elements of another array, which begins `shift` bytes past an address that vectors may
// have: aligned vectors are loaded. The first and the last of the `full` tiles would touch what
// lies outside, and go by elements.
template <class T, int U, class M>
ONEFOLD_KERNEL Chunk<T, U> load_other_chunk(M m, In<M, T> y, Size t, Size full, unsigned lane,
                                            unsigned shift) {
  if (shift == 0) return load_chunk<T, U>(m, y, t, lane);
  if (t == 0 || t + 1 == full) return load_by_element<T, U>(m, y, t, lane);
  const In<M, T> aligned = y + -static_cast<int>(shift / sizeof(T));
  Chunk<T, U> c = load_chunk<T, U>(m, aligned, t, lane);
  const auto beyond =
      bit_cast<Vector16<uint32_t>>(m.stream(m.by_vector(aligned), (t + 1) * U * 32));
  shift_chunk(m, c, beyond, lane, shift);
  return c;
}

}  // namespace onefold::kernel
