// Sorts images of keys (keys.hpp: 64 bits, in the order of the keys) in global memory, by a bitonic
// sort.
#pragma once

#include "onefold/cuda/kernel/state.hpp"

namespace onefold::kernel {

inline constexpr unsigned key_warps = 16;   // of a block
inline constexpr uint32_t key_tile = 4096;  // images that a block sorts in shared memory

template <class M>
struct SortImages {
  enum : uint32_t { threads = 32 * key_warps };

  M m;
  Out<M, uint64_t> images;
  Size padded;  // number of images, a power of two
  Size run;     // the length of sorted runs
  Size apart;   // the distance between places that are compared and put in order

  ONEFOLD_KERNEL uint32_t t() const { return static_cast<uint32_t>(m.thread()); }
  ONEFOLD_KERNEL Size first() const { return m.block() * Size{threads} + t(); }
  ONEFOLD_KERNEL Size all() const { return m.blocks() * Size{threads}; }

  // Runs are ascending and descending by turns; the last one is ascending.
  // A step puts places i and i + apart in order, for all i of which the bit `apart` is not set.
  ONEFOLD_KERNEL static bool descends(Size i, Size run) { return (i & run) != 0; }
  // Returns the k-th place in whose number `bits` bits, from the bit `low` on, are 0.
  ONEFOLD_KERNEL static Size place_of(Size k, Size low, int bits) {
    return ((k & ~(low - 1)) << bits) | (k & (low - 1));
  }
  // Does several steps on registers, the last one for the distance `apart`: with three steps at
  // once, a third of the memory traffic.
  template <int steps>
  ONEFOLD_KERNEL void places() const {
    constexpr int count = 1 << steps;
    ONEFOLD_NO_UNROLL
    for (Size k = first(); k < padded >> steps; k += all()) {
      const Size at = place_of(k, apart, steps);
      const bool falls = descends(at, run);
      uint64_t v[count];
      ONEFOLD_UNROLL
      for (int j = 0; j < count; ++j) v[j] = images[at + static_cast<Size>(j) * apart];
      ONEFOLD_UNROLL
      for (int d = count / 2; d != 0; d /= 2) {
        ONEFOLD_UNROLL
        for (int j = 0; j < count; ++j) {
          if ((j & d) != 0) continue;
          const uint64_t a = v[j], b = v[j + d];
          const bool turn = (a > b) != falls;
          v[j] = turn ? b : a;
          v[j + d] = turn ? a : b;
        }
      }
      ONEFOLD_UNROLL
      for (int j = 0; j < count; ++j) images[at + static_cast<Size>(j) * apart] = v[j];
    }
  }
  //   from  the length of the first runs that are made
  ONEFOLD_KERNEL void tiles(Size from) const {
    const auto s = shared<uint64_t, key_tile, struct tile_>(m);
    const uint32_t size = padded < key_tile ? static_cast<uint32_t>(padded) : key_tile;
    ONEFOLD_NO_UNROLL
    for (Size at = m.block() * Size{size}; at < padded; at += m.blocks() * Size{size}) {
      ONEFOLD_NO_UNROLL
      for (uint32_t k = t(); k < size; k += threads) s[k] = images[at + k];
      m.sync();
      const Size last = from > size ? from : size;
      ONEFOLD_NO_UNROLL
      for (Size length = from; length <= last; length *= 2) {
        ONEFOLD_NO_UNROLL
        for (auto d = static_cast<uint32_t>(length < size ? length : size) / 2; d != 0; d /= 2) {
          ONEFOLD_NO_UNROLL
          for (uint32_t k = t(); k < size / 2; k += threads) {
            const auto i = static_cast<uint32_t>(place_of(k, d, 1));
            const uint64_t a = s[i], b = s[i + d];
            if (!m.branch((a > b) != descends(at + i, length))) continue;
            s[i] = b;
            s[i + d] = a;
          }
          m.sync();
        }
      }
      ONEFOLD_NO_UNROLL
      for (uint32_t k = t(); k < size; k += threads) images[at + k] = s[k];
      m.sync();
    }
  }
};

}  // namespace onefold::kernel
