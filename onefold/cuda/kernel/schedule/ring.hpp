// Copies tiles to shared memory while a warp adds up the tile before. The copies take no registers,
// so more bytes are in flight than plain loads have registers for.
//
//   slot     holds a tile, or one tile of each of two arrays; a warp has two slots
//   order    a lane reads only what it copied itself, so it waits for itself, without a barrier
//   place    an element keeps its position in a line of 128 bytes; otherwise 0.86 of a plain read
//   where    arithmetic takes long compared with loads. Sums, squares and dot of f32 and f64 gain
//            nothing. Share of a plain read, 4 GiB, H200:
//                            sum bf16   dot bf16   describe f32
//              ring          0.982      0.990      0.953
//              plain loads   0.973      0.937      0.921
//   others   sum bf16 is as fast by bulk copies (0.984; bulk_copy of the lab) and with a third slot
//            (0.979)
//   source   bench/results/gpu_whole.md, an H200
#pragma once

#include "onefold/cuda/kernel/schedule/tiles.hpp"
#include "onefold/cuda/kernel/stages.hpp"

namespace onefold::kernel {

// Returns whether a launch has a ring.
ONEFOLD_FN constexpr bool has_ring(DType t, Accumulators set, Stage stage) {
  const bool dot = set.has(Accumulator::dot), squares = set.has(Accumulator::sumsq);
  const bool sums = squares || set.has(Accumulator::sum) || set.has(Accumulator::sumabs);
  const bool extremes = set.has(Accumulator::least) || set.has(Accumulator::greatest);
  if (stage == Stage::bins) return t == DType::bf16 && sums && !squares && !dot;
  if (stage != Stage::first) return false;
  if (t == DType::bf16) return sums || dot;
  if (t == DType::f16 && dot) return true;
  return (t == DType::f16 || t == DType::f32 || t == DType::f64) && squares && extremes;
}
// Returns the bytes of shared memory of a warp's ring; a block needs one or two lines more.
ONEFOLD_FN constexpr int ring_bytes(Accumulators set, int loads) {
  return 2 * (set.has(Accumulator::dot) ? 2 : 1) * 512 * loads;
}

// Gives the numbers of a warp's tiles in turn, of which three must be known: by a fixed stride.
struct Strided {
  Size now, step;
  ONEFOLD_KERNEL Size then() const { return now + step; }
  ONEFOLD_KERNEL Size after() const { return now + 2 * step; }
  ONEFOLD_KERNEL void move() { now += step; }
};
template <class Next>
struct RingEntry {
  Next next;
  Size now = next(), second = next(), third = next();
  ONEFOLD_KERNEL Size then() const { return second; }
  ONEFOLD_KERNEL Size after() const { return third; }
  ONEFOLD_KERNEL void move() {
    now = second;
    second = third;
    third = next();
  }
};
template <class Next>
RingEntry(Next) -> RingEntry<Next>;

// A warp's ring. Pointers to arrays are those of their first full tiles.
template <class M, class T, int U, int warps, int arrays>
struct Ring {
  static constexpr unsigned tile = U * 32, line = 8;  // in vectors
  static constexpr unsigned of_slot = tile + (arrays == 2 ? line : 0);

  Shared<M, Vector16<T>> of_lane[arrays];
  unsigned slot = 0;  // the slot of the oldest tile, which the next one will replace

  // x, y: where tile 0 begins in each array.
  ONEFOLD_KERNEL Ring(M m, In<M, T> x, In<M, T> y) {
    constexpr unsigned of_warp = 2 * of_slot, of_array = warps * of_warp + line;
    const In<M, T> begin[] = {x, y};
    const auto t = static_cast<unsigned>(m.thread());
    const auto all = shared<Vector16<T>, arrays * of_array, struct ring_>(m);
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < arrays; ++i) {
      const unsigned in_line = m.misaligned(begin[i], 128) / 16;
      of_lane[i] = all + (i * of_array + in_line + t / 32 * of_warp + t % 32);
    }
  }
  // Starts the copies of tile t of an array.
  ONEFOLD_KERNEL void bring(M m, int array, In<M, T> x, Size t) {
    const auto from = m.by_vector(x) + (t * tile + static_cast<unsigned>(m.lane()));
    const auto to = of_lane[array] + slot;
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < U; ++u) m.copy_async(to + u * 32, from + u * 32);
  }
  // Also starts the copy of the vector behind the tile, by lane 0.
  ONEFOLD_KERNEL void bring_beyond(M m, int array, In<M, T> x, Size t) {
    if (static_cast<unsigned>(m.lane()) != 0) return;
    m.copy_async(of_lane[array] + (slot + tile), m.by_vector(x) + (t + 1) * tile);
  }
  // Ends the list of copies for this slot.
  ONEFOLD_KERNEL void brought(M m) {
    m.commit_copies();
    slot = of_slot - slot;
  }
  // Waits until the oldest slot's copies have arrived; that tile is added next.
  ONEFOLD_KERNEL void wait(M m) const { m.template wait_copies<1>(); }
  ONEFOLD_KERNEL Chunk<T, U> take(int array) const {
    const auto from = of_lane[array] + slot;
    Chunk<T, U> c;
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < U; ++u) {
      const Vector16<T> v = from[u * 32];
      const auto four = bit_cast<Vector16<uint32_t>>(v);
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < 4; ++j) c.w[4 * u + j] = four.v[j];
    }
    return c;
  }
  ONEFOLD_KERNEL Vector16<uint32_t> take_beyond(M m, int array) const {
    if (static_cast<unsigned>(m.lane()) != 0) return {};
    const Vector16<T> v = of_lane[array][slot + tile];
    return bit_cast<Vector16<uint32_t>>(v);
  }
};

}  // namespace onefold::kernel
