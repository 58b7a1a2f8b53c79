// What bins share: a lane's slots in shared memory, how terms are added to them and how they are
// flushed, and the special elements that they count in registers.
#pragma once

#include "onefold/cuda/kernel/either.hpp"
#include "onefold/cuda/kernel/feed/reach.hpp"
#include "onefold/cuda/kernel/number/packed.hpp"
#include "onefold/cuda/kernel/words.hpp"

namespace onefold::kernel {

// What one access to shared memory loads: one or two of a lane's sums.
template <bool two, class Piece>
using SlotOf = Either<two, Vector16<Piece>, Piece>;

// A lane's bins: `count` slots that begin as 0. Slot i is at [i * 32], so each lane has its own
// bank.
template <class Slot, unsigned count, class M>
ONEFOLD_KERNEL Shared<M, Slot> bins_of_lane(M m) {
  const auto t = static_cast<unsigned>(m.thread());
  const Shared<M, Slot> slots = shared_of_launch<Slot>(m) + (t / 32 * (count * 32) + t % 32);
  ONEFOLD_NO_UNROLL
  for (unsigned i = 0; i < count; ++i) slots[i * 32] = Slot{};
  return slots;
}

// Adds two terms to a lane's bins, `at` times `apart` slots after the first. Both access shared
// memory at the same time. If both are in one bin, the second store is the last one: it holds both.
template <class Slot, unsigned apart, int pieces, class M>
ONEFOLD_KERNEL void add_to_bins(Shared<M, Slot> slots, double (&a)[2][pieces],
                                const unsigned (&at)[2]) {
  const bool same = at[0] == at[1];
  ONEFOLD_UNROLL
  for (int p = 0; p < pieces; ++p) a[1][p] += same ? a[0][p] : 0.0;
  Slot s[2];
  ONEFOLD_UNROLL
  for (int j = 0; j < 2; ++j) {
    const Slot v = slots[at[j] * apart];
    s[j] = v;
  }
  ONEFOLD_UNROLL
  for (int j = 0; j < 2; ++j) {
    if constexpr (pieces == 2) {
      s[j].v[0] += a[j][0];
      s[j].v[1] += a[j][1];
    } else {
      s[j] += a[j][0];
    }
    slots[at[j] * apart] = s[j];
  }
}

// Adds a warp's bins to the words, and clears them. Each lane sums one slot over all lanes; lane l
// begins with its own, so that no two use the same bank.
template <class Shape, class Slot, class M, class T, uint32_t set>
ONEFOLD_KERNEL_COLD void flush_bins(M m, Words<M, T, set> words, Shared<M, Slot> of_lane) {
  constexpr int together = Shape::two ? 2 : 1, S = Shape::pieces / together;
  constexpr bool integers = Shape::integers;
  const auto lane = static_cast<unsigned>(m.lane());
  const auto slots = of_lane + -static_cast<int>(lane);
  m.sync_warp();
  ONEFOLD_NO_UNROLL
  for (unsigned q = lane; q < Shape::bins * S; q += 32) {
    const int bin = static_cast<int>(q / S), first = static_cast<int>(q % S) * together;
    int64_t sum[together] = {};
    double scale[together];
    for (int j = 0; j < together && !integers; ++j) {
      scale[j] = make_double(static_cast<uint32_t>(1023 - Shape::unit(first + j, bin)) << 20, 0);
    }
    ONEFOLD_NO_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned at = q * 32 + (lane + i) % 32;
      const Slot v = slots[at];
      slots[at] = Slot{};
      if constexpr (integers && together == 2) {
        sum[0] += v.v[0];
        sum[1] += v.v[1];
      } else if constexpr (integers) {
        sum[0] += v;
      } else if constexpr (together == 2) {
        sum[0] += static_cast<int64_t>(v.v[0] * scale[0]);
        sum[1] += static_cast<int64_t>(v.v[1] * scale[1]);
      } else {
        sum[0] += static_cast<int64_t>(v * scale[0]);
      }
    }
    for (int j = 0; j < together; ++j) {
      words.deposit(m, Shape::accumulator(first + j), sum[j], Shape::position(first + j, bin));
    }
  }
  m.sync_warp();
}

// What all feeds of bins have: a lane's slots (access i of bin b is at [(b * S + i) * 32]) and the
// counts of special elements.
template <class M, class Shape, class Piece, class Specials, int K>
struct BinsOfLane {
  static constexpr int S = Shape::two ? Shape::pieces / 2 : Shape::pieces;
  using Slot = SlotOf<Shape::two, Piece>;
  Shared<M, Slot> slots;
  Specials specials;
  int held;

  ONEFOLD_KERNEL void open(M m) {
    slots = bins_of_lane<Slot, Shape::bins * S>(m);
    specials.open();
    held = 0;
  }
  template <class Chunk, class Other>
  ONEFOLD_KERNEL void clean(M m, Chunk& c, Other&& other) {
    specials.clean(m, c, other);
  }
  // Flushes the bins first, if K more terms could overflow them.
  template <class Words>
  ONEFOLD_KERNEL void hold(M m, Words words) {
    if (held + K > Shape::capacity) {
      flush_bins<Shape, Slot>(m, words, slots);
      held = 0;
    }
    held += K;
  }
  template <class Words>
  ONEFOLD_KERNEL void close(M m, Words words) {
    flush_bins<Shape, Slot>(m, words, slots);
    specials.close(m, words);
  }
};

// Counts NaN and infinities in registers, and notes whether some element is not -0.
template <class M, class T, uint32_t set, int U>
struct Specials {
  static constexpr bool f64 = sizeof(T) == 8;
  static constexpr uint32_t infinity = f64 ? 0x7ff00000u : 0x7f800000u;

  uint32_t nans, positive_infinities, negative_infinities;
  bool some_not_negative_zero;

  ONEFOLD_KERNEL void open() {
    nans = positive_infinities = negative_infinities = 0;
    some_not_negative_zero = false;
  }
  // Counts NaN and infinities of a chunk, and replaces them by -0.
  template <class Reach>
  ONEFOLD_KERNEL void clean(M m, Chunk<T, U>& c, const Reach& reach) {
    if (m.any(!all_finite(m, c, reach))) {
      ONEFOLD_UNROLL
      for (int k = 0; k < c.elements; ++k) {
        const uint32_t w = c.high(k), h = w & 0x7fffffffu;
        if (h < infinity) continue;
        const bool nan = h > infinity || (f64 && c.w[2 * k] != 0);
        if (nan) ++nans;
        if (!nan && w >> 31 == 0) ++positive_infinities;
        if (!nan && w >> 31 != 0) ++negative_infinities;
        c.set(k, bits_of<T>{1} << (8 * sizeof(T) - 1));
      }
    }
    if (!some_not_negative_zero) some_not_negative_zero = !only_negative_zeros(c);
  }
  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    if constexpr (Words<M, T, set>::State::has(Accumulator::tally)) {
      using Tally = accumulator::tally<T>;
      some_not_negative_zero |= positive_infinities + negative_infinities != 0;
      const bool some = m.any(some_not_negative_zero);
      const uint32_t nan = m.redux_add(nans), positive = m.redux_add(positive_infinities),
                     negative = m.redux_add(negative_infinities);
      if (static_cast<unsigned>(m.lane()) == 0) {
        words.add(m, Accumulator::tally, Tally::nan, nan);
        words.add(m, Accumulator::tally, Tally::positive_infinity, positive);
        words.add(m, Accumulator::tally, Tally::negative_infinity, negative);
        words.add(m, Accumulator::tally, Tally::not_negative_zero, some ? 1 : 0);
      }
    }
  }

 private:
  template <class Reach>
  ONEFOLD_KERNEL static bool all_finite(M m, const Chunk<T, U>& c, const Reach& reach) {
    if constexpr (sizeof(T) == 2) {
      uint32_t most = 0;
      ONEFOLD_UNROLL
      for (int k = 0; k < c.words; ++k) most = m.max_halves(most, c.w[k] & 0x7fff7fffu);
      return greater_half(most) < infinity >> 16;
    } else if constexpr (f64) {
      // For f64, Reach takes numbers from 2^1017 on for infinities, which random bits often are.
      uint32_t most = 0;
      ONEFOLD_UNROLL
      for (int k = 0; k < c.elements; ++k) most = c.high(k) * 2 > most ? c.high(k) * 2 : most;
      return most < infinity * 2;
    } else {
      return reach.top() < infinity;
    }
  }
};

}  // namespace onefold::kernel
