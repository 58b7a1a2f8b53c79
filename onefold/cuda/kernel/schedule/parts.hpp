// How a launch that adds all elements cuts an array. Each part has as many vectors as a full tile;
// the last one may be shorter; one more part has the elements outside of aligned vectors. So there
// is one loop and one loader, and no element is added singly.
#pragma once

#include "onefold/cuda/kernel/either.hpp"
#include "onefold/cuda/kernel/schedule/tiles.hpp"
#include "onefold/cuda/kernel/stages.hpp"

namespace onefold::kernel {

// For fewer than 2^31 elements, 32-bit indices are enough, and take half the instructions.
template <bool small>
using IndexOf = Either<small, uint32_t, Size>;

template <class T, int U, class Index>
struct Parts {
  static constexpr int vector = 16 / sizeof(T);
  static constexpr unsigned size = 32 * U;  // number of vectors in a part

  unsigned head, left;  // elements before the first vector; elements outside of all vectors
  Index vectors;
  // Numbers of full parts, of parts of vectors, and of all parts; all below 2^31.
  uint32_t full, of_vectors, all;

  ONEFOLD_KERNEL Parts(Index n, unsigned misaligned) {
    head = (16 - misaligned) % 16 / sizeof(T);
    if (head > n) head = static_cast<unsigned>(n);
    vectors = (n - head) / vector;
    left = static_cast<unsigned>(n) - static_cast<unsigned>(vectors) * vector;
    cut();
  }
  // Cuts the same array into parts of another size.
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
// Loads a lane's elements of a part that is not full. Missing ones become -0, or 0 for integers,
// which changes no sum.
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

// Loads part i of an array.
template <class T, int U, class M, class Index>
ONEFOLD_KERNEL Chunk<T, U> load_part(M m, In<M, T> x, const Parts<T, U, Index>& parts, uint32_t i,
                                     unsigned lane) {
  if (i < parts.full) [[likely]]
    return load_chunk<T, U>(m, x + parts.head, Index{i}, lane);
  return load_last<T, U>(m, x, parts, i, lane);
}

// The schedule: a warp takes a part, then every part that is `stride` further.
//   ahead   a part is loaded while the one before is added. A feed loads the first one when it
//           opens
template <class M, class T, int U, Stage stage, bool ahead>
struct PartsInTurn {
  using Index = IndexOf<stage == Stage::small>;

  In<M, T> x;
  Size n;
  Parts<T, U, Index> parts;
  uint32_t i, step;
  Chunk<T, U> c{};

  ONEFOLD_KERNEL PartsInTurn(M m, In<M, T> array, Size elements, unsigned in_block)
      : x(array),
        n(elements),
        parts(static_cast<Index>(elements), m.misaligned(array, 16)),
        i(m.block() * in_block + static_cast<unsigned>(m.thread()) / 32),
        step(m.blocks() * in_block) {}

  ONEFOLD_KERNEL void load(M m) {
    if (i < parts.all) c = load_part(m, x, parts, i, static_cast<unsigned>(m.thread()) % 32);
  }
  // Passes parts to the feed until it refuses one: part i, like all later ones, is then not added.
  template <class Feed>
  ONEFOLD_KERNEL void for_each(M m, Feed& feed) {
    ONEFOLD_NO_UNROLL
    while (i < parts.all) {
      if constexpr (!ahead) load(m);
      if (!feed.take(m, *this, c)) break;
      i += step;
      if constexpr (ahead) load(m);
    }
  }
  ONEFOLD_KERNEL bool all_taken() const { return i >= parts.all; }
  // The array as sample.hpp reads it.
  ONEFOLD_KERNEL In<M, T> vectors() const { return x + parts.head; }
  ONEFOLD_KERNEL Index beyond_head() const { return static_cast<Index>(n) - parts.head; }
};

}  // namespace onefold::kernel
