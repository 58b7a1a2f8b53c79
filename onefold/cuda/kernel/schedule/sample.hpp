// Reads a few elements of an array, the same in all warps of a launch, so that all begin with the
// same anchor.
#pragma once

#include "onefold/cuda/kernel/number/packed.hpp"

namespace onefold::kernel {

// Reads vectors of only four cache lines, since all warps read them. x is a multiple of 16 bytes,
// and n elements follow. If they are fewer than a vector, they fill the top of the last words.
template <class T, class M, class Index>
ONEFOLD_KERNEL Vector16<uint32_t> sample_of(M m, In<M, T> x, Index n) {
  const auto lane = static_cast<unsigned>(m.lane());
  const Index vectors = n / (16 / sizeof(T)), step = vectors / 4 / 8 * 8;
  Vector16<uint32_t> v{};
  if (vectors != 0) [[likely]] {
    if (lane < vectors) {
      const Index i = vectors < 32 ? Index{lane} : lane / 8 * step + lane % 8;
      v = bit_cast<Vector16<uint32_t>>(m.stream(m.by_vector(x), i));
    }
  } else if (lane < n) {
    const T one = x[lane];
    v.v[3] =
        static_cast<uint32_t>(uint64_t{bit_cast<bits_of<T>>(one)} << (64 - 8 * sizeof(T)) >> 32);
  }
  return v;
}

// Returns the high word (halves: the bits) of a sample's largest magnitude, if lanes find no NaN or
// infinity.
template <class T, class M, class Index>
ONEFOLD_KERNEL uint32_t most_of_sample(M m, In<M, T> x, Index n) {
  constexpr uint32_t cap = sizeof(T) == 8 ? 0x7ff00000u : sizeof(T) == 4 ? 0x7f800000u : 0x7f80u;
  const auto sample = sample_of<T>(m, x, n);
  uint32_t most = 0;
  if constexpr (sizeof(T) == 2) {
    ONEFOLD_UNROLL
    for (int k = 0; k < 4; ++k) most = m.max_halves(most, sample.v[k] & 0x7fff7fffu);
    most = greater_half(most);
  } else {
    ONEFOLD_UNROLL
    for (int k = sizeof(T) == 8 ? 1 : 0; k < 4; k += sizeof(T) == 8 ? 2 : 1) {
      const uint32_t h = sample.v[k] & 0x7fffffffu;
      most = h > most ? h : most;
    }
  }
  return m.redux_max(most < cap ? most : 0);
}

}  // namespace onefold::kernel
