// Sums integers and bools, their magnitudes and squares, in integer registers.
//
//   bytes    dot products of four bytes: a chunk's sums stay below 2^7 * 2^16
//   halves   dot products of two; squares one by one in 64 bits: each is below 2^32
//   words    a sum of 32-bit elements is one 64-bit register. Squares, and sums of 64-bit elements,
//            are split into 32-bit parts with a register each
//   bound    no element adds more than 2^32 to a register, so a lane may take 2^30 of them; a
//            launch gives it fewer (onefold/cuda/launch.cpp)
//   bool     any byte but 0 is 1
#pragma once

#include "onefold/cuda/kernel/end/totals.hpp"
#include "onefold/cuda/kernel/number/packed.hpp"
#include "onefold/cuda/kernel/schedule/tiles.hpp"

namespace onefold::kernel {

template <class M, class T, uint32_t set, int U, int warps>
struct Integers {
  static constexpr Accumulators in{set};
  static constexpr bool sum = in.has(Accumulator::sum), magnitudes = in.has(Accumulator::sumabs),
                        squares = in.has(Accumulator::sumsq);
  static constexpr bool with_sign = kind_of(dtype_of<T>) == Kind::signed_integer,
                        is_bool = dtype_of<T> == DType::boolean;
  static constexpr int bits = 8 * sizeof(T), K = Chunk<T, U>::elements;
  // How many registers a sum and squares take; the first register of |x| and of squares.
  static constexpr int of_x = bits == 64 ? 2 : 1, of_squares = bits == 64 ? 6 : bits == 32 ? 2 : 1;
  static constexpr int x1 = sum ? of_x : 0, x2 = x1 + (magnitudes ? of_x : 0),
                       N = x2 + (squares ? of_squares : 0);
  static constexpr int most_warps = 16;  // the same as in windows.hpp: a block adds fewer than 2^36
  using Narrow = kernel::Narrow<with_sign>;

  int64_t s[N];

  ONEFOLD_KERNEL void open() {
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) s[i] = 0;
  }

  ONEFOLD_KERNEL void add(const Chunk<T, U>& c) {
    if constexpr (is_bool) {
      add_bools(c);
    } else if constexpr (bits == 8) {
      add_bytes(c);
    } else if constexpr (bits == 16) {
      add_halves(c);
    } else {
      ONEFOLD_UNROLL
      for (int k = 0; k < K; ++k) {
        if constexpr (bits == 32) add_word(c.bits(k));
        if constexpr (bits == 64) add_long(c.bits(k));
      }
    }
  }

  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    block_totals<N, warps>(
        m, s, 0, [&](int i, int, int64_t low, int64_t high) { put(m, words, i, 0, low, high); });
  }
  // The accumulator and limb to which a total is added, once or twice.
  struct Role {
    Accumulator accumulator;
    int limb, times;
  };
  ONEFOLD_KERNEL static Role role(int i) {
    if (i < x1) return {Accumulator::sum, i, 1};
    if (i < x2) return {Accumulator::sumabs, i - x1, 1};
    // For 64 bits: l * l, 2 * l * h and h * h, each in two parts.
    const int j = i - x2;
    return {Accumulator::sumsq, (j + 1) / 2, j / 2 == 1 ? 2 : 1};
  }
  ONEFOLD_KERNEL_COLD static void put(M m, Words<M, T, set> words, int i, int, int64_t low,
                                      int64_t high) {
    const Role r = role(i);
    add_total(m, words, r.accumulator, r.limb, low * r.times, high * r.times);
  }

  // Has the same meaning as in windows.hpp; end/sums.hpp calls it.
  ONEFOLD_KERNEL static int anchor_above(uint32_t) { return 0; }
  ONEFOLD_KERNEL void open_at(int) { open(); }
  ONEFOLD_KERNEL bool touched() const { return false; }
  ONEFOLD_KERNEL bool stands_at(int) const { return true; }
  ONEFOLD_KERNEL void spill(M, Words<M, T, set>) {}
  ONEFOLD_KERNEL void take_totals(int64_t (&total)[N]) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) total[i] = s[i];
  }
  ONEFOLD_KERNEL static int position(int i, int) {
    const Role r = role(i);
    return 32 * r.limb + r.times - 1;
  }
  ONEFOLD_KERNEL static Accumulator accumulator(int i) { return role(i).accumulator; }
  static constexpr bool one_sum = N == 1 && !squares;
  ONEFOLD_KERNEL static int unit(int) { return 0; }

 private:
  ONEFOLD_KERNEL void add_bools(const Chunk<T, U>& c) {
    uint32_t zeros = 0;
    ONEFOLD_UNROLL
    for (int k = 0; k < c.words; ++k) zeros = dot_bytes(zeros, zero_bytes(c.w[k]), 0x01010101u);
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) s[i] += K - static_cast<int>(zeros >> 7);
  }

  ONEFOLD_KERNEL void add_bytes(const Chunk<T, U>& c) {
    Narrow x[2] = {0, 0}, a[2] = {0, 0}, q[2] = {0, 0};
    ONEFOLD_UNROLL
    for (int k = 0; k < c.words; ++k) {
      const uint32_t w = c.w[k];
      x[k % 2] = dot_bytes(x[k % 2], w, 0x01010101u);
      if constexpr (with_sign && magnitudes) a[k % 2] = dot_bytes(a[k % 2], w, signs_of_bytes(w));
      if constexpr (squares) q[k % 2] = dot_bytes(q[k % 2], w, w);
    }
    if constexpr (sum) s[0] += x[0] + x[1];
    if constexpr (magnitudes) s[x1] += with_sign ? a[0] + a[1] : x[0] + x[1];
    if constexpr (squares) s[x2] += q[0] + q[1];
  }

  ONEFOLD_KERNEL void add_halves(const Chunk<T, U>& c) {
    Narrow x[2] = {0, 0}, a[2] = {0, 0};
    ONEFOLD_UNROLL
    for (int k = 0; k < c.words; ++k) {
      const uint32_t w = c.w[k];
      x[k % 2] = dot_halves(x[k % 2], w, 0x0101u);
      if constexpr (with_sign && magnitudes) a[k % 2] = dot_halves(a[k % 2], w, signs_of_halves(w));
    }
    if constexpr (sum) s[0] += x[0] + x[1];
    if constexpr (magnitudes) s[x1] += with_sign ? a[0] + a[1] : x[0] + x[1];
    if constexpr (squares) {
      ONEFOLD_UNROLL
      for (int k = 0; k < K; ++k) {
        const auto v = static_cast<Narrow>(c.element(k));
        s[x2] += static_cast<int64_t>(v) * static_cast<int64_t>(v);
      }
    }
  }

  ONEFOLD_KERNEL void add_word(uint32_t x) {
    if constexpr (sum) s[0] += static_cast<int64_t>(static_cast<Narrow>(x));
    const uint32_t u = with_sign && x >> 31 != 0 ? 0u - x : x;
    if constexpr (magnitudes) s[x1] += static_cast<int64_t>(u);
    if constexpr (squares) add_parts(x2, uint64_t{u} * u);
  }

  ONEFOLD_KERNEL void add_long(uint64_t x) {
    if constexpr (sum) {
      s[0] += static_cast<int64_t>(x & 0xffffffff);
      s[1] += static_cast<int64_t>(static_cast<Narrow>(x >> 32));
    }
    const uint64_t u = with_sign && x >> 63 != 0 ? 0u - x : x;
    if constexpr (magnitudes) add_parts(x1, u);
    if constexpr (squares) {
      const uint64_t l = u & 0xffffffff, h = u >> 32;
      add_parts(x2, l * l);
      add_parts(x2 + 2, l * h);
      add_parts(x2 + 4, h * h);
    }
  }

  ONEFOLD_KERNEL void add_parts(int i, uint64_t v) {
    s[i] += static_cast<int64_t>(v & 0xffffffff);
    s[i + 1] += static_cast<int64_t>(v >> 32);
  }
};

}  // namespace onefold::kernel
