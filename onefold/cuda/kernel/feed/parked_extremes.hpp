// Extremes for kernels that have too few registers.
#pragma once

#include "onefold/cuda/kernel/feed/extremes.hpp"

namespace onefold::kernel {

// Keeps extremes in shared memory, and only their bounds in registers. Sums of f32 and f64 need the
// other registers, and few chunks must be searched.
template <class M, class T, uint32_t set, int U, int warps>
struct ParkedExtremes {
  using Extremes = kernel::Extremes<M, T, set, U, warps>;

  float bound_low, bound_high;

  ONEFOLD_KERNEL void open(M m) {
    Extremes e;
    e.open();
    park(m, e);
  }
  template <class Reach>
  ONEFOLD_KERNEL void add(M m, const Chunk<T, U>& c, const Reach& reach, uint32_t tile) {
    Extremes e;
    e.bound_low = bound_low;
    e.bound_high = bound_high;
    if (!e.beyond(m, reach)) return;
    fetch(m, e);
    e.template look<true>(m, c, reach, tile);  // sums lift the elements of a chunk with NaN
    park(m, e);
  }
  ONEFOLD_KERNEL void add_any(M m, const Chunk<T, U>& c, uint32_t tile) {
    Extremes e;
    fetch(m, e);
    e.add_any(m, c, tile);
    park(m, e);
  }
  ONEFOLD_KERNEL void add(M m, T x, uint32_t tile) {
    Extremes e;
    fetch(m, e);
    e.add(m, x, tile);
    park(m, e);
  }
  ONEFOLD_KERNEL Extremes get(M m) const {
    Extremes e;
    fetch(m, e);
    return e;
  }

 private:
  struct Places {
    Shared<M, typename Extremes::Key> keys;
    Shared<M, uint32_t> tiles;
  };
  ONEFOLD_KERNEL static Places places(M m) {
    constexpr int threads = 32 * warps;
    return {shared<typename Extremes::Key, 2 * threads, struct parked_keys_>(m) + m.thread(),
            shared<uint32_t, 3 * threads, struct parked_tiles_>(m) + m.thread()};
  }
  ONEFOLD_KERNEL void park(M m, const Extremes& e) {
    constexpr int threads = 32 * warps;
    const Places p = places(m);
    p.keys[0] = e.least.key;
    p.keys[threads] = e.greatest.key;
    p.tiles[0] = e.least.tile;
    p.tiles[threads] = e.greatest.tile;
    p.tiles[2 * threads] = e.first_nan;
    bound_low = e.bound_low;
    bound_high = e.bound_high;
  }
  ONEFOLD_KERNEL void fetch(M m, Extremes& e) const {
    constexpr int threads = 32 * warps;
    const Places p = places(m);
    e.least.key = p.keys[0];
    e.greatest.key = p.keys[threads];
    e.least.tile = p.tiles[0];
    e.greatest.tile = p.tiles[threads];
    e.first_nan = p.tiles[2 * threads];
    e.bound_low = bound_low;
    e.bound_high = bound_high;
  }
};

}  // namespace onefold::kernel
