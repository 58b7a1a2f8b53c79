// Counts zeros of either sign.
//
//   bytes    three instructions make four flags, and a dot product counts them
//   halves   min(|x|, 1), two at a time, counts elements other than zero
#pragma once

#include "onefold/cuda/kernel/end/totals.hpp"
#include "onefold/cuda/kernel/number/packed.hpp"
#include "onefold/cuda/kernel/schedule/tiles.hpp"

namespace onefold::kernel {

template <class M, class T, uint32_t set, int U, int warps>
struct Zeros {
  static constexpr int K = Chunk<T, U>::elements;

  uint32_t found;  // below 2^30, the most elements of a lane

  ONEFOLD_KERNEL void open() { found = 0; }

  ONEFOLD_KERNEL void add(M m, const Chunk<T, U>& c) {
    uint32_t n = 0;
    if constexpr (sizeof(T) == 1) {
      ONEFOLD_UNROLL
      for (int k = 0; k < c.words; ++k) n = dot_bytes(n, zero_bytes(c.w[k]), 0x01010101u);
      n >>= 7;
    } else if constexpr (sizeof(T) == 2) {
      ONEFOLD_UNROLL
      for (int k = 0; k < c.words; ++k) {
        n += m.min_halves(c.w[k] & (Floating<T> ? 0x7fff7fffu : ~0u), 0x00010001u);
      }
      n = K - (n & 0xffff) - (n >> 16);
    } else {
      uint32_t some[4] = {};  // four sums, so that additions need not wait for each other
      ONEFOLD_UNROLL
      for (int k = 0; k < K; ++k) {
        const auto bits = c.bits(k);
        some[k % 4] += (Floating<T> ? bits << 1 : bits) == 0 ? 1u : 0u;
      }
      n = some[0] + some[1] + some[2] + some[3];
    }
    found += n;
  }

  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    const int64_t s[1] = {found};
    block_totals<1, warps>(m, s, 0, [&](int, int, int64_t low, int64_t high) {
      words.add(m, Accumulator::zeros, accumulator::zeros<T>::count,
                low + high * (int64_t{1} << 44));
    });
  }
};

}  // namespace onefold::kernel
