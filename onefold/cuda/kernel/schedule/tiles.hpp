// How an array is cut for warps: a head up to the first cache line, full tiles, and a tail. The 32
// lanes of a warp load a tile at once, `U` vectors of 16 bytes for each lane.
//
//   n        any number up to 2^40
//   pointer  a multiple of the element's size
//   tile id  0: the head; 1 + t: full tile t; tiles + 1: the tail. Ids rise with indices
#pragma once

#include "onefold/cuda/kernel/schedule/chunk.hpp"

namespace onefold::kernel {

struct IndexRange {
  Size begin = 0, end = 0;
};

template <class T, int U>
struct Tiles {
  static constexpr int vector = 16 / sizeof(T);
  static constexpr int size = 32 * U * vector;  // elements in a full tile
  static constexpr unsigned line = 128;         // bytes of a cache line

  Size n = 0, head = 0, full = 0;

  // misaligned: bytes from the beginning of a cache line to the array.
  ONEFOLD_KERNEL Tiles(Size elements, unsigned misaligned) : n(elements) {
    head = (line - misaligned) % line / sizeof(T);
    if (head > n) head = n;
    full = (n - head) / size;
  }
  ONEFOLD_KERNEL Size tail() const { return head + full * size; }
  ONEFOLD_KERNEL Size ragged() const { return n - full * size; }
  // Returns the index of the j-th element outside of all full tiles, j < ragged().
  ONEFOLD_KERNEL Size ragged_index(Size j) const { return j < head ? j : j + full * size; }
  ONEFOLD_KERNEL uint32_t ragged_id(Size j) const {
    return j < head ? 0 : static_cast<uint32_t>(full + 1);
  }
  // Returns the elements of a tile, given by its id.
  ONEFOLD_KERNEL IndexRange of(uint32_t id) const {
    if (id == 0) return {0, head};
    if (id <= full) return {head + (id - 1) * Size{size}, head + id * Size{size}};
    return {tail(), n};
  }
  // Returns the index of element k of a lane's chunk of full tile t.
  ONEFOLD_KERNEL Size index(Size t, unsigned lane, int k) const {
    return head + t * size + static_cast<Size>(k / vector * 32 * vector) + lane * vector +
           static_cast<Size>(k % vector);
  }
};

// Loads a lane's chunk of full tile t; x points to the first full tile.
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

}  // namespace onefold::kernel
