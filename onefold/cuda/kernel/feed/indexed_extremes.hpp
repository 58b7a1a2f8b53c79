// Extremes of few elements, whose time is that of one warp's instructions. A warp finds the best
// element's index while it holds the elements, so no later search is needed. The last part may be
// short: its last vector then stands for the missing ones, which does not change the first index.
//
//   bound    fewer than 2^31 - 2 elements
#pragma once

#include "onefold/cuda/kernel/feed/extremes.hpp"
#include "onefold/cuda/kernel/schedule/parts.hpp"
#include "onefold/cuda/kernel/workspace.hpp"

namespace onefold::kernel {

// Returns the index of a chunk's first element with these bits, if any. Bool: nonzero bytes are 1.
template <class T, int U>
ONEFOLD_KERNEL unsigned first_with(const Chunk<T, U>& c, bits_of<T> bits) {
  unsigned at = 0;
  if constexpr (sizeof(T) >= 4) {
    ONEFOLD_UNROLL
    for (int k = c.elements - 1; k >= 0; --k)
      at = c.bits(k) == bits ? static_cast<unsigned>(k) : at;
  } else {
    constexpr unsigned in_word = 4 / sizeof(T);
    const uint32_t all = sizeof(T) == 1 ? bits * 0x01010101u : bits * 0x00010001u;
    // High bits of the bytes or halves that equal the wanted bits, in the first word that has some.
    uint32_t flags = 0;
    ONEFOLD_UNROLL
    for (int k = c.words - 1; k >= 0; --k) {
      uint32_t here;
      if constexpr (dtype_of<T> == DType::boolean) {
        here = bits == 0 ? zero_bytes(c.w[k]) : zero_bytes(c.w[k]) ^ 0x80808080u;
      } else if constexpr (sizeof(T) == 1) {
        here = zero_bytes(c.w[k] ^ all);
      } else {
        const uint32_t x = c.w[k] ^ all;
        here = ~(((x & 0x7fff7fffu) + 0x7fff7fffu) | x) & 0x80008000u;
      }
      at = here != 0 ? static_cast<unsigned>(k) : at;
      flags = here != 0 ? here : flags;
    }
    const auto lowest = lowest_bit(flags);
    at = at * in_word + lowest / static_cast<unsigned>(8 * sizeof(T));
  }
  return at;
}

// The number of the vector that a lane takes as its u-th of part i, and the index of its elements.
template <class T, int U>
ONEFOLD_KERNEL uint32_t vector_of(const Parts<T, U, uint32_t>& parts, uint32_t i, unsigned u,
                                  unsigned lane) {
  const uint32_t v = i * parts.size + u * 32 + lane;
  return v < parts.vectors ? v : parts.vectors - 1;
}

// The schedule: all parts are full, also the last one.
template <class M, class T, int U, bool indices>
struct RepeatedParts {
  In<M, T> x;
  Parts<T, U, uint32_t> parts;
  uint32_t i, step;

  ONEFOLD_KERNEL RepeatedParts(M m, const Input<M, T>& input, unsigned in_block)
      : x(input.x),
        parts(static_cast<uint32_t>(input.n), m.misaligned(input.x, 16)),
        i(m.block() * in_block + static_cast<unsigned>(m.thread()) / 32),
        step(m.blocks() * in_block) {}
  template <class Feed>
  ONEFOLD_KERNEL void for_each(M m, Feed& feed) {
    const unsigned lane = static_cast<unsigned>(m.thread()) % 32;
    ONEFOLD_NO_UNROLL
    for (; i < parts.of_vectors; i += step) {
      feed.template take_part<indices>(m, x, parts, i, lane);
    }
    if (i < parts.all) feed.template take_beside<indices>(m, x, parts, lane);
  }
};

// A lane's extremes: the best element with its index, and the first NaN.
template <class M, class T, uint32_t set, int U, int warps>
struct IndexedExtremes {
  using All = Extremes<M, T, set, U, warps>;
  using Key = typename Keys<T>::Key;
  using Parts = kernel::Parts<T, U, uint32_t>;
  static constexpr unsigned vector = 16 / sizeof(T);

  Best<Key> least{0, no_tile}, greatest{0, no_tile};
  uint32_t first_nan = no_tile;

  // Called by the driver. It loads the part itself, since no other feed reads it.
  template <class Schedule>
  ONEFOLD_KERNEL void open(M, const Schedule&) {}
  template <class Schedule>
  ONEFOLD_KERNEL void take_rest(M, const Schedule&) {}

  template <bool indices>
  ONEFOLD_KERNEL void take_part(M m, In<M, T> x, const Parts& parts, uint32_t i, unsigned lane) {
    Chunk<T, U> c;
    const auto vectors = m.by_vector(x + parts.head);
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < U; ++u) {
      const auto four =
          bit_cast<Vector16<uint32_t>>(m.stream(vectors, vector_of(parts, i, u, lane)));
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < 4; ++j) c.w[4 * u + j] = four.v[j];
    }
    All part;
    part.open();
    if constexpr (dtype_of<T> == DType::f32) {
      part.template meet_chunk<false>(m, c, Reach<M, T, U, true>::of(m, c), 0);
    } else {
      part.template meet_chunk<false>(m, c, 0, 0);
    }
    const auto meet = [&](Best<Key>& best, const Best<Key>& one, Key key) {
      if (one.tile == no_tile || (best.tile != no_tile && best.key <= one.key)) return;
      best = {one.key, 0};
      if constexpr (indices) {
        const T wanted = from_order_key<T>(Keys<T>::order_key_of(key));
        const unsigned k = first_with(c, bit_cast<bits_of<T>>(wanted));
        best.tile = parts.head + (i * parts.size + k / vector * 32 + lane) * vector + k % vector;
      }
    };
    if constexpr (All::wants_least) meet(least, part.least, part.least.key);
    if constexpr (All::wants_greatest) {
      meet(greatest, part.greatest, static_cast<Key>(~part.greatest.key));
    }
    if constexpr (Floating<T>) {
      if (m.any(part.first_nan != no_tile)) [[unlikely]] {
        const uint32_t at = nan_in_part(m, x, parts, i, lane);
        first_nan = at < first_nan ? at : first_nan;
      }
    }
  }
  // Adds the elements outside of all vectors, one a lane.
  template <bool indices>
  ONEFOLD_KERNEL void take_beside(M m, In<M, T> x, const Parts& parts, unsigned lane) {
    if (lane >= parts.left) return;
    const uint32_t at = lane < parts.head ? lane : lane + parts.vectors * vector;
    All one;
    one.open();
    const T element = x[at];
    one.add(m, element, 0);
    if (one.first_nan != no_tile) {
      first_nan = at < first_nan ? at : first_nan;
      return;
    }
    least.meet(one.least.key, indices ? at : 0);
    greatest.meet(one.greatest.key, indices ? at : 0);
  }

 private:
  ONEFOLD_KERNEL_COLD static uint32_t nan_in_part(M m, In<M, T> x, Parts parts, uint32_t i,
                                                  unsigned lane) {
    static_cast<void>(m);
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; k < U * vector; ++k) {
      const uint32_t at = parts.head + vector_of(parts, i, k / vector, lane) * vector + k % vector;
      const T one = x[at];
      if (Keys<T>::nan(Keys<T>::of(one))) return at;
    }
    return no_tile;
  }
};

}  // namespace onefold::kernel
