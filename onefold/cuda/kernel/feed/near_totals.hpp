// The totals of near_sum.hpp: two windows in registers, of a lane, a warp or a block.
//
//   anchor   2^E, above a sample. Sums of 16 f32 of 2^(E-24) to 2^E, or of 16 bf16 of 2^(E-40) to
//            2^E, are exact in f64, whatever their order
//   wider    a second window holds 48 more binades
#pragma once

#include "onefold/cuda/kernel/number/packed.hpp"
#include "onefold/cuda/kernel/number/scalar.hpp"
#include "onefold/cuda/kernel/schedule/tiles.hpp"
#include "onefold/cuda/kernel/words.hpp"

namespace onefold::kernel {

// The totals of two windows; for most data the upper window holds everything.
template <class T, uint32_t accumulators, Stage stage>
struct NearTotals {
  static constexpr uint32_t set = accumulators;
  static constexpr bool small = stage == Stage::small;
  static constexpr int N = 2, apart = 48, bias = 127;
  static constexpr int binades = 48 - (float_format(dtype_of<T>).mantissa_bits + 1),
                       wider = binades + apart;
  static constexpr bool magnitudes = Accumulators(set).has(Accumulator::sumabs), one_sum = true;
  // With many halves integer units are busy, so a conversion is used, whose unit is idle otherwise.
  // With few halves a conversion takes 0.1 us longer.
  static constexpr bool converts = sizeof(T) == 2 && !small;
  // The biased exponents that E may be.
  static constexpr int lowest = 45, highest = 255;

  ONEFOLD_KERNEL static int unit(int e) { return e - bias - 47 - apart; }
  ONEFOLD_KERNEL static int position(int i, int e) {
    return unit(e) + (i == 0 ? apart : 0) - unit_of<T>;
  }
  ONEFOLD_KERNEL static Accumulator accumulator(int) {
    return magnitudes ? Accumulator::sumabs : Accumulator::sum;
  }
  // For f32 the anchor is 2 binades above a sample's largest element, or 5 if there are many
  // elements; for bf16 up to 12: elements that are too large cost more than those too small. If the
  // sample needs two windows, it lies in their middle.
  struct Anchor {
    int e;
    bool spread;  // the sample does not fit two windows
  };
  ONEFOLD_KERNEL static Anchor anchor_above(uint32_t most, uint32_t least_key) {
    const auto top = static_cast<int>(most >> 23), low = static_cast<int>(least_key >> 24);
    const int span = top - low, spare = binades - span;
    const int above = sizeof(T) == 2 ? (spare > 16 ? 13 : spare * 13 / 16) : small ? 3 : 6;
    const int room = spare >= 7 ? above : (wider - span) / 2;
    const int e = top + (room < 3 ? 3 : room);
    return {e < lowest ? lowest : e > highest ? highest : e, span > wider};
  }
  // Returns 1.5 * 2^52 units of window i; a conversion (scaled_double) also scales the element.
  ONEFOLD_KERNEL static double magic_of(int i, int e) {
    return magic(e - bias - 47 - apart * i + 1075 - (converts ? 0 : 896));
  }
  ONEFOLD_KERNEL static double number(uint32_t w) {
    if constexpr (converts) {
      const auto x = static_cast<double>(bit_cast<float>(w));
      return magnitudes ? absolute(x) : x;
    } else {
      return scaled_double(magnitudes ? w & 0x7fffffffu : w);
    }
  }
  // Returns a bound above the bits, without the sign bit, of all elements below 2^e.
  ONEFOLD_KERNEL static uint32_t limit_of(int e) { return static_cast<uint32_t>(e) << 23; }
  // Returns a bound above the keys (Chunk::magnitude_key) of all elements below 2^(e - lower).
  ONEFOLD_KERNEL static uint32_t floor_of(int e, int lower) {
    return e - lower <= 1 ? 0 : static_cast<uint32_t>(e - lower) * (2u << 23) - 1;
  }
};

// What a warp passes to its block for a window: the sums of its lanes' bits in pieces of 22 bits,
// of which the last has the sign. The upper window's entry also has the warp's flags.
struct alignas(16) NearWarp {
  uint32_t low = 0, middle = 0;
  int high = 0;
  uint32_t said = 0;

  // Flags; the block adds up those of its warps, so each has a field of several bits.
  static constexpr uint32_t some = 1, lower = 1 << 8, left = 1 << 16;
};
struct NearWarps {
  NearWarp upper, lower;
};
template <class M>
ONEFOLD_KERNEL NearWarp of_lanes(M m, int64_t v) {
  constexpr uint32_t mask = (1u << 22) - 1;
  return {.low = m.redux_add(static_cast<uint32_t>(v) & mask),
          .middle = m.redux_add(static_cast<uint32_t>(v >> 22) & mask),
          .high = m.redux_add(static_cast<int>(v >> 44))};
}
// The sum over lanes: a piece of 32 bits, and the bits above it.
struct NearPieces {
  int64_t low, high;
};
template <class M>
ONEFOLD_KERNEL NearPieces pieces_of(M m, const NearWarp& w) {
  const int64_t low = static_cast<int64_t>(m.redux_add(w.low)) +
                      static_cast<int64_t>(m.redux_add(w.middle)) * (int64_t{1} << 22);
  return {low & 0xffffffff, (low >> 32) + static_cast<int64_t>(m.redux_add(w.high)) * (1 << 12)};
}

// Elements that a lane adds before its sums go to the words; sums are then at most 2^60.
inline constexpr uint32_t near_elements = 1 << 13;

// Adds a lane's sums to the words.
template <class Totals, class T, uint32_t set, class M>
ONEFOLD_KERNEL_COLD void put_near(M m, Words<M, T, set> words, int anchor, int64_t s, int64_t s1) {
  const int64_t sums[2] = {s, s1};
  ONEFOLD_UNROLL
  for (int i = 0; i < 2; ++i) {
    const WarpSum v = warp_sum(m, sums[i]);
    if (m.lane() == 0) {
      words.deposit(m, Totals::accumulator(i), v.low, Totals::position(i, anchor));
      words.deposit(m, Totals::accumulator(i), v.high, Totals::position(i, anchor) + 44);
    }
  }
}

// Adds up 16 of the chunk's numbers from element g on, or all of them, as a tree.
template <class Totals, class T, int U>
ONEFOLD_KERNEL double sum_of_near(const Chunk<T, U>& c, int g) {
  constexpr int K = Chunk<T, U>::elements < 16 ? Chunk<T, U>::elements : 16;
  double s[K];
  ONEFOLD_UNROLL
  for (int k = 0; k < K; ++k) s[k] = Totals::number(c.high(g + k));
  ONEFOLD_UNROLL
  for (int h = 1; h < K; h *= 2) {
    ONEFOLD_UNROLL
    for (int k = 0; k + h < K; k += 2 * h) s[k] += s[k + h];
  }
  return s[0];
}
// The sums that a chunk's numbers have in each of two windows.
struct NearWindows {
  int64_t upper, lower;
};
template <class Totals, class T, int U>
ONEFOLD_KERNEL NearWindows windows_of_near(const Chunk<T, U>& c, int anchor) {
  constexpr int K = Chunk<T, U>::elements;
  const double start = Totals::magic_of(0, anchor), start1 = Totals::magic_of(1, anchor);
  NearWindows v{};
  ONEFOLD_UNROLL
  for (int g = 0; g < K; g += 16) {
    double a = start, b = start1;
    ONEFOLD_UNROLL
    for (int k = g; k < K && k < g + 16; ++k) b += take(a, Totals::number(c.high(k)));
    v.upper += bits_of_double(a) - bits_of_double(start);
    v.lower += bits_of_double(b) - bits_of_double(start1);
  }
  return v;
}
// A lane's chunk's exponent range, as f32: the bits of its largest magnitude (greater for a NaN),
// and the least key of magnitudes.
struct NearReach {
  uint32_t most, least;
};
template <class T, int U, class M>
ONEFOLD_KERNEL NearReach reach_of_near(M m, const Chunk<T, U>& c) {
  if constexpr (sizeof(T) == 2) {
    const EndsOfHalves ends = ends_of_halves(m, c);
    return {ends.top << 16, (ends.bottom + 1) * (2u << 16) - 1};
  } else {
    constexpr int K = Chunk<T, U>::elements;
    float most[K];
    uint32_t least = ~0u;
    ONEFOLD_UNROLL
    for (int k = 0; k < K; ++k) {
      most[k] = absolute(c.element(k));
      const uint32_t key = c.w[k] * 2 - 1;
      least = key < least ? key : least;
    }
    ONEFOLD_UNROLL
    for (int h = 1; h < K; h *= 2) {
      ONEFOLD_UNROLL
      for (int k = 0; k + h < K; k += 2 * h) most[k] = extreme_or_nan<true>(most[k], most[k + h]);
    }
    return {bit_cast<uint32_t>(most[0]), least};
  }
}

// A warp's part whose numbers have similar exponents.
struct NearPart {
  int64_t sum;  // in units of the upper window
  bool some;
};
template <class Totals, class T, int U>
ONEFOLD_KERNEL NearPart add_near(const Chunk<T, U>& c, double start) {
  constexpr int K = Chunk<T, U>::elements;
  NearPart v{};
  ONEFOLD_UNROLL
  for (int g = 0; g < K; g += 16) {
    const double sum = sum_of_near<Totals>(c, g);
    v.sum += bits_of_double(start + sum) - bits_of_double(start);
    // A sum is -0 only if all its elements are.
    v.some = v.some | (bit_cast<uint64_t>(sum) != uint64_t{1} << 63);
  }
  if constexpr (Totals::magnitudes) v.some = !only_negative_zeros(c);
  return v;
}

}  // namespace onefold::kernel
