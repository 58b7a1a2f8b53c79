// Loads the same tiles of a second array with another alignment: aligned vectors are loaded, and a
// lane gets its missing elements from the next lane. Loads of single elements would be four times
// as many.
#pragma once

#include "onefold/cuda/kernel/schedule/tiles.hpp"

namespace onefold::kernel {

// Loads elements one by one, from an array that is not aligned for vectors.
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

// Aligns a tile that begins `shift` bytes after that of the chunks c. A lane gets missing elements
// from the next lane, and the last lane from the vector behind the tile, which lane 0 has.
template <class T, int U, class M>
ONEFOLD_KERNEL void shift_chunk(M m, Chunk<T, U>& c, const Vector16<uint32_t>& beyond,
                                unsigned lane, unsigned shift) {
  // How many words of the next vector may be needed.
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

// Loads the same elements of a second array by aligned vectors; it begins `shift` bytes after a
// multiple of 16. The first and the last of the `full` tiles are loaded element by element, since
// their vectors would reach outside of the array.
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
