// Sums f64 of any exponents, their magnitudes, squares and products, exactly: in 32-bit limbs in
// shared memory. It takes data that windows.hpp and product_windows.hpp give up.
//
//   slot     an int64 for each 32-bit digit of the range; each lane has its own slots
//   x        53 bits, shifted by its exponent, take three neighbouring slots; x * y takes five
//   range    x from 2^-1075 up takes 66 slots, x * y from 2^-2150 up takes 132
//   signs    two's complement: all words but the last are unsigned. If sums of x and of |x| are
//            needed, there are slots for each sign
//   flush    only at the end: a lane takes fewer than 2^30 elements, and each adds less than 2^32
//            to a slot
//   instead  pairs of f64 bins (pair_bins.hpp) took twice the memory, so half as many warps hid
//            latency: on an H200, random bits had 0.20 of a plain read for var, 0.07 for describe
#pragma once

#include "onefold/cuda/kernel/feed/bins_of_lane.hpp"

namespace onefold::kernel {

// The slots of a lane, by the sum that they hold.
template <uint32_t set>
struct LimbShape {
  static constexpr Accumulators in{set};
  static constexpr bool sum = in.has(Accumulator::sum), magnitudes = in.has(Accumulator::sumabs),
                        squares = in.has(Accumulator::sumsq), products = in.has(Accumulator::dot);
  static constexpr int of_x = 66, of_squares = 132, wide = squares || products;
  static constexpr int first_square = of_x * (sum + magnitudes);
  static constexpr int count = first_square + of_squares * wide;
  static_assert(count * 8 == bin_bytes(DType::f64, in));
};

template <class M, uint32_t set>
struct Limbs {
  using Shape = LimbShape<set>;

  Shared<M, int64_t> slots;  // the lane's slots: slot i is at [i * 32]

  ONEFOLD_KERNEL void open(M m) {
    const auto t = static_cast<unsigned>(m.thread());
    slots = shared_of_launch<int64_t>(m) + (t / 32 * (Shape::count * 32) + t % 32);
    ONEFOLD_NO_UNROLL
    for (unsigned i = 0; i < Shape::count; ++i) slots[i * 32] = int64_t{0};
  }
  // An f64 as 53 bits and their position: x = mantissa * 2^(position - 1075).
  struct Number {
    uint32_t low, high, position;
  };
  ONEFOLD_KERNEL static Number number(uint32_t h, uint32_t l) {
    const uint32_t e = h >> 20 & 0x7ff;
    return {l, (h & 0xfffffu) | (e != 0 ? 0x100000u : 0), e != 0 ? e : 1};
  }
  // Negates v if the sign is -1; returns v if it is 0.
  template <int n>
  ONEFOLD_KERNEL static void negate(uint32_t (&v)[n], uint32_t sign) {
    uint64_t carry = sign & 1;
    ONEFOLD_UNROLL
    for (int i = 0; i < n; ++i) {
      carry += v[i] ^ sign;
      v[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  // Returns the words of v * 2^shift, shift < 32; the last word has v's sign.
  template <int n>
  ONEFOLD_KERNEL static void shifted(const uint32_t (&v)[n], uint32_t shift, uint32_t (&w)[n + 1]) {
    w[0] = v[0] << shift;
    ONEFOLD_UNROLL
    for (int i = 1; i < n; ++i) w[i] = shifted_in(v[i - 1], v[i], shift);
    const auto sign = static_cast<uint32_t>(static_cast<int32_t>(v[n - 1]) >> 31);
    w[n] = shifted_in(v[n - 1], sign, shift);
  }
  // Multiplies two numbers of two words each.
  ONEFOLD_KERNEL static void product(const Number& a, const Number& b, uint32_t (&v)[4]) {
    const uint64_t low = uint64_t{a.low} * b.low;
    const uint64_t middle = uint64_t{a.low} * b.high + (low >> 32);
    const uint64_t other = uint64_t{a.high} * b.low + middle;  // below 2^54
    const uint64_t high = uint64_t{a.high} * b.high + (other >> 32);
    v[0] = static_cast<uint32_t>(low);
    v[1] = static_cast<uint32_t>(other);
    v[2] = static_cast<uint32_t>(high);
    v[3] = static_cast<uint32_t>(high >> 32);
  }
  ONEFOLD_KERNEL static unsigned slot_of(uint32_t position) { return position & ~31u; }
  template <int n>
  ONEFOLD_KERNEL void load(unsigned at, int64_t (&s)[n]) const {
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < n; ++i) {
      const int64_t v = slots[at + i * 32];
      s[i] = v;
    }
  }
  template <int n>
  ONEFOLD_KERNEL void store(unsigned at, int64_t (&s)[n], const uint32_t (&w)[n]) {
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < n; ++i) {
      s[i] += i + 1 < n ? static_cast<int64_t>(w[i]) : static_cast<int32_t>(w[i]);
      slots[at + i * 32] = s[i];
    }
  }

  // Adds the lanes' slots to the words. A lane sums one slot over all lanes: no bank conflicts.
  ONEFOLD_KERNEL void close(M m, Words<M, double, set> words) const {
    const auto lane = static_cast<unsigned>(m.lane());
    const auto of_warp = slots + -static_cast<int>(lane);
    struct Total {
      int64_t low, high;  // high counts times 2^32
    };
    const auto total = [&](unsigned slot) {
      Total sum{0, 0};
      ONEFOLD_NO_UNROLL
      for (unsigned i = 0; i < 32; ++i) {
        const int64_t v = of_warp[slot * 32 + (lane ^ i)];
        sum.low += static_cast<uint32_t>(v);
        sum.high += v >> 32;
      }
      return sum;
    };
    const auto deposit = [&](Accumulator a, int64_t low, int64_t high, int position) {
      words.deposit(m, a, low, position);
      words.deposit(m, a, high, position + 32);
    };
    m.sync_warp();
    ONEFOLD_NO_UNROLL
    for (unsigned q = lane; q < (Shape::first_square == 0 ? 0 : Shape::of_x); q += 32) {
      const int position = 32 * static_cast<int>(q) - 1;
      const Total v = total(q);
      if constexpr (Shape::sum && Shape::magnitudes) {
        const Total negative = total(q + Shape::of_x);
        deposit(Accumulator::sum, v.low - negative.low, v.high - negative.high, position);
        deposit(Accumulator::sumabs, v.low + negative.low, v.high + negative.high, position);
      } else {
        deposit(Shape::sum ? Accumulator::sum : Accumulator::sumabs, v.low, v.high, position);
      }
    }
    ONEFOLD_NO_UNROLL
    for (unsigned q = lane; q < (Shape::wide ? Shape::of_squares : 0); q += 32) {
      const Total v = total(q + Shape::first_square);
      deposit(Shape::products ? Accumulator::dot : Accumulator::sumsq, v.low, v.high,
              32 * static_cast<int>(q) - 2);
    }
  }
};

// Bins for the sums of one array.
template <class M, uint32_t set, int U>
struct LimbBins {
  using Shape = LimbShape<set>;
  using Limbs = kernel::Limbs<M, set>;
  static constexpr int K = Chunk<double, U>::elements;

  Limbs limbs;
  Specials<M, double, set, U> specials;

  ONEFOLD_KERNEL void open(M m) {
    limbs.open(m);
    specials.open();
  }
  template <class Reach>
  ONEFOLD_KERNEL void clean(M m, Chunk<double, U>& c, const Reach& reach) {
    specials.clean(m, c, reach);
  }
  ONEFOLD_KERNEL void add(M, Words<M, double, set>, const Chunk<double, U>& c) {
    ONEFOLD_UNROLL
    for (int k = 0; k < K; ++k) {
      const uint32_t h = c.w[2 * k + 1];
      const auto x = Limbs::number(h, c.w[2 * k]);
      const unsigned at = Limbs::slot_of(x.position);
      const auto sign = static_cast<uint32_t>(static_cast<int32_t>(h) >> 31);
      const unsigned at_x = Shape::sum && Shape::magnitudes ? at + (sign & (Shape::of_x * 32)) : at;
      const unsigned at_square = Limbs::slot_of(2 * x.position) + Shape::first_square * 32;
      // All values are loaded before the first is stored.
      int64_t s[3], q[5];
      if constexpr (Shape::first_square != 0) limbs.load(at_x, s);
      if constexpr (Shape::squares) limbs.load(at_square, q);
      if constexpr (Shape::first_square != 0) {
        uint32_t v[2] = {x.low, x.high}, w[3];
        if constexpr (!Shape::magnitudes) Limbs::negate(v, sign);
        Limbs::shifted(v, x.position & 31, w);
        limbs.store(at_x, s, w);
      }
      if constexpr (Shape::squares) {
        uint32_t v[4], w[5];
        Limbs::product(x, x, v);
        Limbs::shifted(v, 2 * x.position & 31, w);
        limbs.store(at_square, q, w);
      }
    }
  }
  ONEFOLD_KERNEL void close(M m, Words<M, double, set> words) {
    limbs.close(m, words);
    specials.close(m, words);
  }
};

}  // namespace onefold::kernel
